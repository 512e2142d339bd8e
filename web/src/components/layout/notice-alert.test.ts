import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startI18n } from '../../lib/i18n.ts'
import { useNoticeAlerts } from '../../stores/notice-alerts.ts'
import { useToasts } from '../ui/toast.ts'
import { alertNotice } from './notice-alert.ts'
import { wordsOf } from './notice-words.ts'

/** The browser's notifications, as far as they are used. */
class FakeNotification {
  static permission: NotificationPermission = 'granted'
  static readonly shown: { title: string; body: string | undefined; tag: string | undefined }[] = []
  onclick: (() => void) | undefined
  constructor(title: string, { body, tag }: NotificationOptions = {}) {
    FakeNotification.shown.push({ title, body, tag })
  }
}

const notice = { id: 7, time: '2026-01-01T00:00:00Z', type: 'FirstBlood', values: ['Salty Dogs', 'Seal'] } as const
const tell = (told: { team: string; challenge: string } | null = null) =>
  alertNotice({
    notice: { ...notice, values: [...notice.values] },
    gameTitle: 'Trials',
    told,
    openLabel: 'Show',
    onOpen: () => undefined,
  })
const look = (state: DocumentVisibilityState) =>
  Object.defineProperty(document, 'visibilityState', { configurable: true, value: state })

beforeEach(async () => {
  await startI18n('en-US')
  vi.stubGlobal('Notification', FakeNotification)
  FakeNotification.permission = 'granted'
  FakeNotification.shown.length = 0
  useToasts.setState({ toasts: [] })
  useNoticeAlerts.setState({ sound: false, desktop: false })
})

afterEach(() => {
  vi.unstubAllGlobals()
  look('visible')
})

describe('a new notice', () => {
  it('is a message in the page while the page is seen, whatever is allowed', async () => {
    useNoticeAlerts.setState({ sound: true, desktop: true })
    await tell()
    expect(useToasts.getState().toasts).toMatchObject([{ title: 'First blood', text: 'Salty Dogs solved Seal' }])
    expect(FakeNotification.shown).toEqual([])
  })

  it('of the own team is not told over the challenge that it solved, which says so, but of others it is', async () => {
    await tell({ team: 'Salty Dogs', challenge: 'Seal' })
    expect(useToasts.getState().toasts).toEqual([])
    await tell({ team: 'Gulls', challenge: 'Seal' })
    expect(useToasts.getState().toasts).toHaveLength(1)
    // A team mate solved another one.
    await tell({ team: 'Salty Dogs', challenge: 'Winch' })
    expect(useToasts.getState().toasts).toHaveLength(2)
  })

  it('is nothing out of sight unless the visitor asked for it', async () => {
    look('hidden')
    await tell()
    expect(useToasts.getState().toasts).toEqual([])
    expect(FakeNotification.shown).toEqual([])
  })

  it('is a notification of the browser out of sight, once it is asked for and permitted', async () => {
    look('hidden')
    useNoticeAlerts.setState({ desktop: true })
    await tell()
    expect(FakeNotification.shown).toEqual([{ title: 'First blood · Trials', body: 'Salty Dogs solved Seal', tag: 'notice-7' }])
    FakeNotification.permission = 'denied'
    await tell()
    expect(FakeNotification.shown).toHaveLength(1)
  })
})

it('words of the organizers lose their Markdown', async () => {
  const words = await wordsOf({
    type: 'Normal',
    values: ['Sign the **Muster _Roll_**,\nthen see [the rules](/about): `nc a_b 1`'],
  })
  expect(words).toEqual({ title: 'Announcement', text: 'Sign the Muster Roll, then see the rules: nc a_b 1' })
})
