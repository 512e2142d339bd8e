import type { GameSummary } from '@capstan/contract/games'
import { barAngles, barPath, hubPath } from './mark.tsx'
import styles from './poster.module.css'
import { cx } from './ui/cx.ts'

/** Returns a pseudorandom generator of numbers from 0 to 1. The text is its seed (FNV-1a, then xorshift). */
function numbersOf(text: string): () => number {
  let state = 0x811c9dc5
  for (const letter of text) state = Math.imul(state ^ (letter.codePointAt(0) ?? 0), 0x01000193)
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

/** Distance between the hues of categories, in degrees. */
const hueStep = 27.7

/** Decorative picture for a game that has no poster. The title determines the colors and positions of sea, sky and wheel. */
export function GeneratedPoster({ title, className }: Readonly<{ title: string; className?: string | undefined }>) {
  const next = numbersOf(title)
  const between = (least: number, most: number) => Math.round(least + next() * (most - least))
  const sky = 14 + Math.floor(next() * 13) * hueStep
  const sea = sky + between(30, 70)
  const color = (lightness: number, chroma: number, hue: number) => `oklch(${lightness} ${chroma} ${Math.round(hue % 360)})`
  const wheel = { x: between(340, 520), y: between(70, 120), scale: between(40, 75) / 10, turn: between(0, 59) }
  const wave = (y: number) => {
    const length = between(90, 170)
    return `M${-between(0, length)} ${y}q${length / 2} ${between(12, 34)} ${length} 0${`t${length} 0`.repeat(9)}V240H-170z`
  }
  return (
    <svg
      viewBox="0 0 600 240"
      preserveAspectRatio="xMidYMid slice"
      aria-hidden="true"
      className={cx(styles.drawn, className)}
      style={{ background: `linear-gradient(${between(120, 200)}deg, ${color(0.38, 0.08, sky)}, ${color(0.2, 0.05, sea)})` }}
    >
      {Array.from({ length: 14 }, (_, star) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: stars have no identity
        <circle key={star} cx={between(0, 600)} cy={between(0, 150)} r={between(6, 16) / 10} fill={color(0.85, 0.05, sky)} />
      ))}
      <path
        d={`M-10 ${between(10, 90)}Q${between(120, 260)} ${between(120, 190)} ${wheel.x} ${wheel.y}`}
        fill="none"
        stroke={color(0.75, 0.09, sky)}
        strokeWidth="4"
        strokeDasharray="9 3"
      />
      <g
        fill={color(0.78, 0.1, sky)}
        transform={`translate(${wheel.x} ${wheel.y}) scale(${wheel.scale}) rotate(${wheel.turn}) translate(-12 -12)`}
      >
        <path fillRule="evenodd" d={hubPath} />
        {barAngles.map((angle) => (
          <path key={angle} d={barPath} transform={`rotate(${angle} 12 12)`} />
        ))}
      </g>
      {[150, 178, 206].map((y, index) => (
        <path key={y} d={wave(y)} fill={color(0.34 - index * 0.07, 0.065, sea)} fillOpacity="0.82" />
      ))}
    </svg>
  )
}

type GamePosterProps = Readonly<{
  game: Pick<GameSummary, 'title' | 'poster'>
  className?: string | undefined
  /** True to load the picture only when it is near the visible area. */
  isLazy?: boolean
}>

/** Poster of a game. If the game has no poster, a generated picture is shown. */
export function GamePoster({ game: { title, poster }, className, isLazy }: GamePosterProps) {
  return poster ? (
    <img src={poster} alt="" className={className} {...(isLazy && { loading: 'lazy' as const })} />
  ) : (
    <GeneratedPoster title={title} className={className} />
  )
}
