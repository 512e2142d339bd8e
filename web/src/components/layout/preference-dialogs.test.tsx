import { act, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, it } from 'vitest'
import { useLanguage } from '../../stores/language.ts'
import { usePreferenceDialogs } from '../../stores/preference-dialogs.ts'
import { renderInApp } from '../../testing/render.tsx'
import { PreferenceDialogs } from './preference-dialogs.tsx'

const user = userEvent.setup()

afterEach(() => {
  useLanguage.getState().choose('en-US')
  usePreferenceDialogs.getState().close()
})

async function pick(language: string) {
  await renderInApp(<PreferenceDialogs />)
  act(() => usePreferenceDialogs.getState().open('language'))
  const dialog = await screen.findByRole('dialog', { name: 'Language' })
  await user.click(within(dialog).getByRole('button', { name: new RegExp(language) }))
}

describe('choosing a language', () => {
  it('the choice changes the language and is stored under the key "language"', async () => {
    await pick('日本語')
    expect(useLanguage.getState().code).toBe('ja-JP')
    expect(localStorage.getItem('language')).toBe('ja-JP')
    expect(screen.queryByRole('alertdialog')).toBeNull()
  })

  it.each([
    ['Deutsch', 'Machine Translation', 'This translation is done by machine and AIs, it may not be accurate.'],
    ['한국어', 'Incompleted Translation', 'This language is still in progress, some parts may not be translated.'],
  ])('the language %s opens the warning "%s"', async (language, title, text) => {
    await pick(language)
    const dialog = await screen.findByRole('alertdialog', { name: title })
    expect(within(dialog).getByText(text)).toBeTruthy()
    expect(within(dialog).getAllByRole('link')).toHaveLength(2)
  })

  it('a button in the warning switches back to English', async () => {
    await pick('Français')
    expect(useLanguage.getState().code).toBe('fr-FR')
    await user.click(await screen.findByRole('button', { name: 'Switch to English' }))
    expect(useLanguage.getState().code).toBe('en-US')
    expect(screen.queryByRole('alertdialog')).toBeNull()
  })

  it('the chosen language stays selected after the user confirms the warning', async () => {
    await pick('Русский')
    await user.click(await screen.findByRole('button', { name: 'Confirm' }))
    expect(useLanguage.getState().code).toBe('ru-RU')
  })
})
