import { useState } from 'react'
import { cx } from './cx.ts'
import styles from './display.module.css'

type AvatarProps = Readonly<{
  name: string | null | undefined
  src?: string | null | undefined
  size?: number
  /** True for the square avatar of a team. The avatars of users are round. */
  team?: boolean
}>

function hueOf(name: string) {
  return [...name].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 360, 7)
}

function initials(name: string) {
  const words = name.trim().split(/\s+/)
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]]
  return (
    letters
      .map((word) => [...(word ?? '')][0] ?? '')
      .join('')
      .toUpperCase() || '?'
  )
}

/**
 * Picture or initials. Screen readers skip the avatar, because the name is next to the avatar. CSS draws the initials, so that
 * the initials are not part of the text of the page.
 */
export function Avatar({ name, src, size = 32, team }: AvatarProps) {
  const [broken, setBroken] = useState<string>()
  const text = name ?? ''
  return (
    <span
      aria-hidden
      className={cx(styles.avatar, team && styles.square)}
      data-initials={initials(text)}
      ref={(element) => {
        element?.style.setProperty('--avatar', `${size}px`)
        element?.style.setProperty('--avatar-hue', String(hueOf(text)))
      }}
    >
      {src && src !== broken && <img src={src} alt="" loading="lazy" onError={() => setBroken(src)} />}
    </span>
  )
}
