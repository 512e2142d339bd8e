/**
 * Brand scale: 12 steps in OKLCH that are derived from one color. Each step has a fixed lightness, and the color sets hue and
 * chroma. Chroma is reduced until every text has a contrast of 4.5 to its background (WCAG AA).
 */

export type Scheme = 'dark' | 'light'

/** Color in OKLCH: lightness from 0 to 1, chroma from 0, hue in degrees from 0 to 360. */
export type Oklch = Readonly<{
  l: number
  c: number
  h: number
}>

export type BrandScale = Readonly<{
  /** Steps 1 to 12: backgrounds (1-2), surfaces (3-5), borders (6-8), solid (9-10), text (11-12). */
  steps: readonly Oklch[]
  /** Color of text on a solid background. */
  onBrand: Oklch
  hue: number
}>

export const defaultBrand = '#5cb8d6'

const textContrast = 4.5
const chromaLimit = 0.15

const ramps = {
  dark: {
    lightness: [0.185, 0.215, 0.265, 0.305, 0.345, 0.4, 0.47, 0.57, 0.78, 0.83, 0.83, 0.94],
    chroma: [0.18, 0.25, 0.42, 0.5, 0.56, 0.62, 0.72, 0.85, 1, 1, 0.85, 0.35],
    surface: 0.255,
    onBrand: 0.18,
  },
  light: {
    lightness: [0.985, 0.97, 0.945, 0.92, 0.89, 0.85, 0.79, 0.68, 0.5, 0.45, 0.46, 0.28],
    chroma: [0.05, 0.12, 0.24, 0.34, 0.42, 0.5, 0.62, 0.85, 1, 1, 1, 0.6],
    surface: 0.92,
    onBrand: 0.99,
  },
} as const

/** True if the value is `#` with six hex digits. */
export function isHexColor(value: string | null | undefined): value is string {
  return typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value)
}

function toLinear(channel: number) {
  return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
}

export function hexToOklch(hex: string): Oklch {
  const number = Number.parseInt(hex.slice(1), 16)
  const r = toLinear(((number >> 16) & 255) / 255)
  const g = toLinear(((number >> 8) & 255) / 255)
  const b = toLinear((number & 255) / 255)
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  const labA = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s
  const labB = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s
  const hue = (Math.atan2(labB, labA) * 180) / Math.PI
  return { l: 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, c: Math.hypot(labA, labB), h: (hue + 360) % 360 }
}

/** Converts an OKLCH color to linear sRGB. A screen cannot show channels below 0 or above 1. */
export function oklchToLinearRgb({ l, c, h }: Oklch): readonly [number, number, number] {
  const a = c * Math.cos((h * Math.PI) / 180)
  const b = c * Math.sin((h * Math.PI) / 180)
  const long = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const medium = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const short = (l - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ]
}

function inGamut(color: Oklch) {
  return oklchToLinearRgb(color).every((channel) => channel > -0.0005 && channel < 1.0005)
}

function luminance(color: Oklch) {
  const [r, g, b] = oklchToLinearRgb(color).map((channel) => Math.min(1, Math.max(0, channel))) as [number, number, number]
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

/** Returns the WCAG contrast ratio, from 1 to 21. */
export function contrastRatio(one: Oklch, other: Oklch): number {
  const [dark, bright] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number]
  return (bright + 0.05) / (dark + 0.05)
}

/** Returns the color with the highest chroma that `accept` allows. */
function fit(color: Oklch, accept: (candidate: Oklch) => boolean): Oklch {
  let candidate = color
  while (candidate.c > 0.001 && !accept(candidate)) candidate = { ...candidate, c: candidate.c * 0.94 }
  return candidate
}

/** Returns the brand scale of a `#rrggbb` color. */
export function createBrandScale(hex: string, scheme: Scheme): BrandScale {
  const { c, h } = hexToOklch(hex)
  const ramp = ramps[scheme]
  const strength = Math.min(c, chromaLimit)
  const onBrand = { l: ramp.onBrand, c: Math.min(strength, 0.02), h }
  const surface = { l: ramp.surface, c: 0.01, h }
  const readable = (index: number) => (candidate: Oklch) =>
    inGamut(candidate) &&
    (index < 8 || contrastRatio(candidate, index < 10 ? onBrand : surface) >= textContrast) &&
    (index !== 8 || contrastRatio(candidate, surface) >= 3)
  const steps = ramp.lightness.map((l, index) => fit({ l, c: strength * (ramp.chroma[index] ?? 1), h }, readable(index)))
  return { steps, onBrand: fit(onBrand, inGamut), hue: h }
}

function rounded(value: number, digits: number) {
  return Number(value.toFixed(digits))
}

function cssColor({ l, c, h }: Oklch): string {
  return `oklch(${rounded(l, 4)} ${rounded(c, 4)} ${rounded(h, 2)})`
}

/** Returns the CSS custom properties of a brand color, for the root element. */
export function createBrandCssProperties(hex: string, scheme: Scheme): Readonly<Record<string, string>> {
  const scale = createBrandScale(hex, scheme)
  const steps = scale.steps.map((step, index) => [`--brand-${index + 1}`, cssColor(step)] as const)
  return { '--brand-hue': String(rounded(scale.hue, 2)), '--on-brand': cssColor(scale.onBrand), ...Object.fromEntries(steps) }
}
