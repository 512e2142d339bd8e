import { type Color, drawPng } from './png.ts'

const width = 1280
const height = 640

type Vector = readonly [number, number, number]

function mix(one: Vector, other: Vector, share: number): Vector {
  return [one[0] + (other[0] - one[0]) * share, one[1] + (other[1] - one[1]) * share, one[2] + (other[2] - one[2]) * share]
}
function clamp(value: number): number {
  return Math.min(1, Math.max(0, value))
}
/**
 * Returns 1 inside and 0 outside of a shape, with a soft edge of one pixel.
 * @param distance distance from the edge in pixels, which is negative inside
 */
function cover(distance: number): number {
  return clamp(0.5 - distance)
}

const sky: readonly [Vector, Vector] = [
  [13, 22, 38],
  [37, 62, 84],
]
const seas: readonly Vector[] = [
  [32, 74, 96],
  [27, 63, 86],
  [22, 53, 75],
  [17, 43, 63],
  [13, 33, 50],
  [9, 24, 38],
]
const brass: Vector = [214, 168, 96]
const moon = { x: 934, y: 226, radius: 122 }

/** Returns the vertical position of the crest of a wave, in pixels from the top of the picture. */
function crest(layer: number, x: number): number {
  return (
    316 +
    layer * 58 +
    (18 + 3 * layer) * Math.sin(x / (150 + 22 * layer) + layer * 2.1) +
    (6 + layer) * Math.sin(x / (61 + 7 * layer) - layer * 1.3)
  )
}

const crests = seas.map((_, layer) => Float64Array.from({ length: width }, (__, x) => crest(layer, x)))

/** Returns the distance in pixels to a capstan seen from above, with hub, rim and eight bars. It is negative inside. */
function capstan(x: number, y: number): number {
  const [dx, dy] = [x - moon.x, y - moon.y]
  const radius = Math.hypot(dx, dy)
  const sector = Math.PI / 4
  const angle = Math.atan2(dy, dx) + 0.2
  const along = angle - Math.round(angle / sector) * sector
  const bar = Math.max(Math.abs(radius * Math.sin(along)) - 7, radius - moon.radius, 52 - radius)
  const knob = Math.hypot(radius * Math.cos(along) - moon.radius, radius * Math.sin(along)) - 13
  const rim = Math.abs(radius - 84) - 6
  const hub = Math.abs(radius - 40) - 12
  return Math.min(bar, knob, rim, hub)
}

/**
 * Returns the share of the brass color at a point of a sagging rope, from 0 to 1. Outside of the rope, the share is 0.
 * Slanted strands make the shape look like a rope.
 */
function rope(x: number, y: number): { share: number; light: number } {
  const middle = 118 + 70 * Math.sin(x / 310 + 0.9)
  const slope = (70 / 310) * Math.cos(x / 310 + 0.9)
  const across = (y - middle) / Math.hypot(1, slope)
  if (Math.abs(across) > 13) return { share: 0, light: 0 }
  const strand = 0.5 + 0.5 * Math.sin((x * Math.hypot(1, slope) + across * 1.6) / 5.2)
  return {
    share: cover(Math.abs(across) - 10 - 1.5 * strand),
    light: (0.45 + 0.55 * strand) * Math.sqrt(clamp(1 - (across / 13) ** 2)),
  }
}

/** Returns the color at a point of the sky, including the moon and the rope in front of it. */
function skyAt(x: number, y: number): Vector {
  const glow = Math.hypot(x - moon.x, y - moon.y)
  let color = mix(sky[0], sky[1], clamp(y / 380))
  color = mix(color, [92, 118, 128], 0.5 * Math.exp(-((glow / 250) ** 2)))
  if (glow < moon.radius + 20) color = mix(color, brass, 0.92 * cover(capstan(x, y)))
  const line = rope(x, y)
  return line.share > 0 ? mix(color, mix([70, 52, 34], [226, 190, 130], line.light), line.share) : color
}

/** Returns the color of a swell at a point `below` pixels under its crest: foam at the crest, moonlight below it. */
function swellAt(layer: number, x: number, below: number): Vector {
  const foam = 0.55 * Math.exp(-((below / 3) ** 2)) + 0.18 * clamp(1 - below / 46)
  const mirrored = 0.35 * Math.exp(-(((x - moon.x) / (90 + 24 * layer)) ** 2)) * clamp(1 - below / 30)
  return mix(mix(seas[layer] ?? sky[1], [150, 190, 200], foam), brass, mirrored)
}

function colorAt(x: number, y: number): Color {
  // Collect the layers from front to back until a layer is opaque. Then paint the collected layers from back to front.
  const visible: { color: Vector; share: number }[] = []
  let layer = seas.length - 1
  for (; layer >= 0; layer--) {
    const below = y - (crests[layer]?.[x] ?? 0)
    const share = cover(-below)
    if (share > 0) visible.push({ color: swellAt(layer, x, below), share })
    if (share === 1) break
  }
  let color = layer < 0 ? skyAt(x, y) : sky[0]
  for (const part of visible.reverse()) color = mix(color, part.color, part.share)
  return [Math.round(color[0]), Math.round(color[1]), Math.round(color[2])]
}

/** Draws the poster of the demo game as a PNG: a swell at night, a rope, and a capstan in place of the moon. */
export function drawPoster(): Uint8Array {
  return drawPng(width, height, colorAt)
}
