import type { Scheme } from '../../lib/palette.ts'

/**
 * Colors of the ten lines. Neighbors differ in hue and lightness, and all have a contrast of at least 3:1. The names beside the
 * lines give the same information as the colors.
 */
const colors: Readonly<Record<Scheme, readonly string[]>> = {
  dark: ['#5cc1e0', '#f5a65b', '#8fd672', '#ee8fc0', '#a99bf0', '#f1d65f', '#6d9bff', '#f07a6a', '#4fd1b5', '#cdbca3'],
  light: ['#00789b', '#b85500', '#3c7d17', '#b62f79', '#6646bd', '#856900', '#1f59c9', '#bf3527', '#007d66', '#75604a'],
}

/**
 * Returns the color of the line of a team.
 * @param place position of the team in the chart, starting at 1
 */
export function getLineColor(scheme: Scheme, place: number): string {
  return colors[scheme][(place - 1) % 10] ?? '#888888'
}
