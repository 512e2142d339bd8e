interface MarkProps {
  /** Pixels. */
  readonly size?: number
}

const bars = [0, 60, 120, 180, 240, 300]

/** A capstan seen from above: a hub with bars. One color, that of the text around it. */
export const Mark = ({ size = 24 }: MarkProps) => (
  <svg viewBox="0 0 24 24" width={size} height={size} fill="currentColor" aria-hidden="true">
    <path
      fillRule="evenodd"
      d="M12 5.6a6.4 6.4 0 1 1 0 12.8a6.4 6.4 0 0 1 0-12.8Zm0 4.1a2.3 2.3 0 1 0 0 4.6a2.3 2.3 0 0 0 0-4.6Z"
    />
    {bars.map((angle) => (
      <path key={angle} d="M10.7 7h2.6V1.6a1.3 1.3 0 0 0-2.6 0Z" transform={`rotate(${angle} 12 12)`} />
    ))}
  </svg>
)
