import { create } from 'zustand'

type Announcement = Readonly<{
  text: string
  count: number
}>

const useAnnouncement = create<Announcement>()(() => ({ text: '', count: 0 }))

export function announceToScreenReaders(text: string): void {
  useAnnouncement.setState(({ count }) => ({ text, count: count + 1 }))
}

export function LiveRegion() {
  const { text, count } = useAnnouncement()
  return (
    <div className="visually-hidden" aria-live="polite" role="status">
      <span key={count}>{text}</span>
    </div>
  )
}
