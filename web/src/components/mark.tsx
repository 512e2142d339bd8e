type MarkProps = Readonly<{
  size?: number
}>

/** Angles of the six bars, in degrees. */
export const barAngles = [0, 60, 120, 180, 240, 300] as const
/** SVG paths of the logo: a ring in the center, and one of the six bars. */
export const hubPath = 'M12 5.6a6.4 6.4 0 1 1 0 12.8a6.4 6.4 0 0 1 0-12.8Zm0 4.1a2.3 2.3 0 1 0 0 4.6a2.3 2.3 0 0 0 0-4.6Z'
export const barPath = 'M10.7 7h2.6V1.6a1.3 1.3 0 0 0-2.6 0Z'

/** Logo: a capstan from above, with a hub and bars. It has the color of the text. */
export function CapstanLogo({ size = 24 }: MarkProps) {
  return (
    <svg viewBox="0 0 24 24" width={size} height={size} fill="currentColor" aria-hidden="true">
      <path fillRule="evenodd" d={hubPath} />
      {barAngles.map((angle) => (
        <path key={angle} d={barPath} transform={`rotate(${angle} 12 12)`} />
      ))}
    </svg>
  )
}
