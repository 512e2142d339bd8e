import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { useNoticeAlerts } from '../../stores/notice-alerts.ts'
import { renderInApp } from '../../testing/render.tsx'
import { NoticeSettingsDialog } from './notice-dialog.tsx'

const user = userEvent.setup()
function answer(permission: NotificationPermission, reply: NotificationPermission) {
  const requestPermission = vi.fn(async () => reply)
  vi.stubGlobal('Notification', { permission, requestPermission })
  return requestPermission
}
function open() {
  return renderInApp(<NoticeSettingsDialog open onClose={() => undefined} />)
}
function desktop() {
  return screen.getByRole<HTMLInputElement>('switch', { name: 'Browser notifications' })
}

beforeEach(() => useNoticeAlerts.setState({ sound: false, desktop: false }))
afterEach(() => void vi.unstubAllGlobals())

describe('notifications', () => {
  it('notifications start disabled, and the browser asks for permission only when the switch is turned on', async () => {
    const ask = answer('default', 'granted')
    await open()
    expect(desktop().checked).toBe(false)
    expect(ask).not.toHaveBeenCalled()
    await user.click(desktop())
    expect(ask).toHaveBeenCalledOnce()
    await expect.poll(() => desktop().checked).toBe(true)
    expect(useNoticeAlerts.getState().desktop).toBe(true)
  })

  it('notifications stay disabled if the browser refuses the permission, and the dialog shows the reason', async () => {
    answer('default', 'denied')
    await open()
    await user.click(desktop())
    await screen.findByText(/Your browser blocks notifications from this site/)
    expect(useNoticeAlerts.getState().desktop).toBe(false)
    expect(desktop().hasAttribute('disabled')).toBe(true)
  })

  it('sounds can be enabled while notifications are disabled', async () => {
    answer('denied', 'denied')
    await open()
    await user.click(screen.getByRole('switch', { name: 'Sound' }))
    expect(useNoticeAlerts.getState()).toMatchObject({ sound: true, desktop: false })
  })
})
