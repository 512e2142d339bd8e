import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startI18n } from '../../lib/i18n.ts'
import { useNoticeAlerts } from '../../stores/notice-alerts.ts'
import { useReadNotices } from '../../stores/read-notices.ts'
import { showToast, useToasts } from '../ui/toast.ts'
import { alertVisitorToNotice } from './notice-alert.ts'
import { toPlainNoticeText } from './notice-words.ts'

/** Fake of the browser's `Notification`. */
class FakeNotification {
  static permission: NotificationPermission = 'granted'
  static readonly shown: { title: string; body: string | undefined; tag: string | undefined }[] = []
  onclick: (() => void) | undefined
  constructor(title: string, { body, tag }: NotificationOptions = {}) {
    FakeNotification.shown.push({ title, body, tag })
  }
}

const notice = { id: 7, time: '2026-01-01T00:00:00Z', type: 'FirstBlood', values: ['Salty Dogs', 'Seal'] } as const
function tell(openChallenge: { team: string; challenge: string } | null = null) {
  return alertVisitorToNotice({
    notice: { ...notice, values: [...notice.values] },
    userId: 'mira',
    gameTitle: 'Trials',
    openChallenge,
    openLabel: 'Show',
    onOpen: () => undefined,
  })
}
function look(state: DocumentVisibilityState) {
  return Object.defineProperty(document, 'visibilityState', { configurable: true, value: state })
}

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

describe('the alert for a new notice', () => {
  it('the alert appears in the page if the page is visible, even without permission for notifications', async () => {
    useNoticeAlerts.setState({ sound: true, desktop: true })
    await tell()
    expect(useToasts.getState().toasts).toMatchObject([{ title: 'First blood', text: 'Salty Dogs solved Seal' }])
    expect(FakeNotification.shown).toEqual([])
  })

  it('no alert appears if the team solved the challenge whose dialog is open, because the dialog shows the solve', async () => {
    await tell({ team: 'Salty Dogs', challenge: 'Seal' })
    expect(useToasts.getState().toasts).toEqual([])
    await tell({ team: 'Gulls', challenge: 'Seal' })
    expect(useToasts.getState().toasts).toHaveLength(1)
    // The team solved a challenge whose dialog is not open.
    await tell({ team: 'Salty Dogs', challenge: 'Winch' })
    expect(useToasts.getState().toasts).toHaveLength(2)
  })

  it('no alert appears outside of the page if the visitor has not enabled notifications', async () => {
    look('hidden')
    await tell()
    expect(useToasts.getState().toasts).toEqual([])
    expect(FakeNotification.shown).toEqual([])
  })

  it('a hidden page shows the alert as a browser notification if the user has allowed notifications', async () => {
    look('hidden')
    useNoticeAlerts.setState({ desktop: true })
    await tell()
    expect(FakeNotification.shown).toEqual([{ title: 'First blood · Trials', body: 'Salty Dogs solved Seal', tag: 'notice-7' }])
    FakeNotification.permission = 'denied'
    await tell()
    expect(FakeNotification.shown).toHaveLength(1)
  })
})

describe('an announcement in the page', () => {
  const titles = () => useToasts.getState().toasts.map(({ title }) => title)
  const tellAnnouncement = (id: number) =>
    alertVisitorToNotice({
      notice: { id, time: '2026-01-01T00:00:00Z', type: 'Normal', values: ['Lunch is **served**'] },
      ...{ userId: 'mira', gameTitle: 'Trials', openChallenge: null, openLabel: 'Show', onOpen: () => undefined },
    })

  beforeEach(() => useReadNotices.setState({ ids: {} }))

  it('an announcement stays in the page until it is dismissed, and the dismissal marks it as read', async () => {
    await tellAnnouncement(11)
    const [shown] = useToasts.getState().toasts
    expect(shown).toMatchObject({ title: 'Announcement', text: 'Lunch is served', lastsMs: Number.POSITIVE_INFINITY })
    expect(useReadNotices.getState().ids).toEqual({})
    shown?.onDismiss?.()
    expect(useReadNotices.getState().ids).toEqual({ mira: [11] })
    expect(titles()).toEqual([])
  })

  it('an announcement disappears if the user reads it elsewhere, and other announcements stay', async () => {
    await tellAnnouncement(11)
    await tellAnnouncement(12)
    useReadNotices.getState().add('noor', [12])
    expect(titles()).toHaveLength(2)
    useReadNotices.getState().add('mira', [12])
    expect(useToasts.getState().toasts.map(({ lastsMs }) => lastsMs)).toEqual([Number.POSITIVE_INFINITY])
  })

  it('an announcement stays in the page when later toasts arrive', async () => {
    await tellAnnouncement(11)
    for (const title of ['one', 'two', 'three', 'four', 'five']) showToast({ title })
    expect(titles()).toEqual(['Announcement', 'three', 'four', 'five'])
  })
})

it("the announcement shows the organizers' text without Markdown syntax", async () => {
  const words = await toPlainNoticeText({
    type: 'Normal',
    values: ['Sign the **Muster _Roll_**,\nthen see [the rules](/about): `nc a_b 1`'],
  })
  expect(words).toEqual({ title: 'Announcement', text: 'Sign the Muster Roll, then see the rules: nc a_b 1' })
})
