import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { switchLanguage } from '../../lib/i18n.ts'
import { renderInApp } from '../../testing/render.tsx'
import { InstanceReason } from './instance-reason.tsx'

afterEach(() => switchLanguage('en-US'))

function show(code: string | null) {
  return renderInApp(<InstanceReason code={code} message="Please tell the organizers." />, { areas: ['challenge-health'] })
}

it('organizers read in their language why an instance failed and what to do', async () => {
  await show('ImagePullFailed')
  expect(screen.getByText(/^The image could not be downloaded\. Check its name/)).toBeTruthy()
  cleanup()
  await switchLanguage('de-DE')
  await show('ImagePullFailed')
  expect(screen.getByText(/^Das Image konnte nicht geladen werden\. Prüfe seinen Namen/)).toBeTruthy()
})

it.each([null, 'NotSupported'])('organizers read the message of the runtime if the reason is %s', async (code) => {
  await show(code)
  expect(screen.getByText('Please tell the organizers.')).toBeTruthy()
})
