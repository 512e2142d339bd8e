import type { BadgeTone } from './badge.tsx'

type ShareBarProps = Readonly<{
  /** Length of the colored part, from 0 to 1. */
  share: number
  /** Color of the part. The default is the CSS variable `--tone` of an outer element. */
  tone?: BadgeTone | undefined
}>

/** Bar that shows a share. It is decorative, because text next to it contains the same number. */
export function ShareBar({ share, tone }: ShareBarProps) {
  return (
    <span className="bar" data-tone={tone} aria-hidden>
      <span style={{ inlineSize: `${Math.min(1, share) * 100}%` }} />
    </span>
  )
}
