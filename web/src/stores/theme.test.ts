import { describe, expect, it } from 'vitest'
import { defaultBrand } from '../lib/palette.ts'
import { getAccentColor, toValidThemeChoice, useTheme } from './theme.ts'

describe('the accent color', () => {
  it('the accent color is the selected color if the choice is Custom', () => {
    expect(getAccentColor({ provider: 'Custom', color: '#123abc' }, '#ffffff')).toBe('#123abc')
  })

  it.each([null, '', '#12', 'red', '#12345g'])('the theme choice Custom becomes Managed if the color is invalid: %s', (color) => {
    expect(toValidThemeChoice({ provider: 'Custom', color })).toEqual({ provider: 'Managed', color: null })
  })

  it('the accent color is the color of the server if the choice is Managed and that color is valid', () => {
    expect(getAccentColor({ provider: 'Managed', color: null }, '#aa5500')).toBe('#aa5500')
    expect(getAccentColor({ provider: 'Managed', color: null }, 'orange')).toBe(defaultBrand)
    expect(getAccentColor({ provider: 'Managed', color: null }, null)).toBe(defaultBrand)
  })

  it('the accent color is the built-in color if the choice is Default, regardless of the server', () => {
    expect(getAccentColor({ provider: 'Default', color: '#123abc' }, '#aa5500')).toBe(defaultBrand)
  })

  it('the accent color does not change if the new color is invalid', () => {
    useTheme.getState().chooseDefault()
    useTheme.getState().chooseCustom('#12')
    expect(useTheme.getState().provider).toBe('Default')
    useTheme.getState().chooseCustom('#0a0b0c')
    expect(useTheme.getState()).toMatchObject({ provider: 'Custom', color: '#0a0b0c' })
  })
})
