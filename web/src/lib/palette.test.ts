import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  contrastRatio,
  createBrandCssProperties,
  createBrandScale,
  defaultBrand,
  hexToOklch,
  isHexColor,
  oklchToLinearRgb,
  type Scheme,
} from './palette.ts'

const schemes: readonly Scheme[] = ['dark', 'light']
const hard = ['#000000', '#ffffff', '#808080', '#ff0000', '#00ff00', '#0000ff', '#ffff00', '#ff00ff', '#00ffff', '#5cb8d6']
const wheel = Array.from({ length: 36 }, (_, step) => {
  const angle = (step / 36) * 2 * Math.PI
  const channel = (shift: number) => Math.round(127.5 + 127.5 * Math.cos(angle + shift))
  const hex = (value: number) => value.toString(16).padStart(2, '0')
  return `#${hex(channel(0))}${hex(channel(2.1))}${hex(channel(4.2))}`
})

describe('the colors that are derived from a brand color', () => {
  it.each(schemes)('a brand scale has readable text in the %s scheme for any color', (scheme) => {
    const surface = { l: scheme === 'dark' ? 0.252 : 0.936, c: 0.01, h: 222 }
    for (const hex of [...hard, ...wheel]) {
      const { steps, onBrand } = createBrandScale(hex, scheme)
      expect(contrastRatio(steps[8]!, onBrand), `${hex} solid`).toBeGreaterThanOrEqual(4.5)
      expect(contrastRatio(steps[9]!, onBrand), `${hex} solid, hovered`).toBeGreaterThanOrEqual(4.5)
      expect(contrastRatio(steps[10]!, { ...surface, h: hexToOklch(hex).h }), `${hex} text`).toBeGreaterThanOrEqual(4.5)
      expect(contrastRatio(steps[10]!, steps[2]!), `${hex} text on a tinted surface`).toBeGreaterThanOrEqual(4.5)
    }
  })

  it.each(schemes)('a brand scale contains only colors that a screen can show (%s)', (scheme) => {
    for (const hex of [...hard, ...wheel])
      for (const step of createBrandScale(hex, scheme).steps)
        for (const channel of oklchToLinearRgb(step)) {
          expect(channel).toBeGreaterThan(-0.001)
          expect(channel).toBeLessThan(1.001)
        }
  })

  it('a brand scale has twelve steps with the hue of the color', () => {
    const { steps, hue } = createBrandScale('#ff0000', 'dark')
    expect(steps).toHaveLength(12)
    // Red in OKLCH: hue 29.23 degrees.
    expect(hue).toBeCloseTo(29.23, 1)
  })

  it('the style sheet contains the colors that are derived from the built-in brand color', () => {
    const css = readFileSync(`${import.meta.dirname}/../styles/tokens.css`, 'utf8')
    const [dark = '', light = ''] = css.split("[data-scheme='light'] {")
    for (const [part, scheme] of [
      [dark, 'dark'],
      [light, 'light'],
    ] as const)
      for (const [name, value] of Object.entries(createBrandCssProperties(defaultBrand, scheme)))
        if (name !== '--brand-hue') expect(part).toContain(`${name}: ${value};`)
  })
})

it('black on white has a contrast of 21', () => {
  expect(contrastRatio(hexToOklch('#000000'), hexToOklch('#ffffff'))).toBeCloseTo(21, 1)
})

it.each([
  ['#5cb8d6', true],
  ['#ABCDEF', true],
  ['#abc', false],
  ['5cb8d6', false],
  ['#5cb8d6ff', false],
  ['#gggggg', false],
  ['', false],
  [null, false],
])('the check accepts %s as a color: %s', (text, valid) => {
  expect(isHexColor(text)).toBe(valid)
})
