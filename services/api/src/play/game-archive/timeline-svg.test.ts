import { expect, test } from 'vitest'
import { renderTimelineSvg } from './timeline-svg.ts'

const start = new Date('2030-01-01T00:00:00Z')
const end = new Date('2030-01-01T10:00:00Z')

test('the chart has a stepped line for each team, from the start to the end of the game', () => {
  const items = [
    { time: '2030-01-01T05:00:00Z', score: 100 },
    { time: '2030-01-01T10:00:00Z', score: 200 },
  ]
  const svg = renderTimelineSvg([{ id: 1, name: 'a', items }], start, end, 'Points <over> time').text
  // The area of the lines ranges from 56 to 948 on the x axis, and from 12 to 292 on the y axis.
  expect(svg).toContain('d="M56 292H502V152H948V12H948"')
  expect(svg).toContain('aria-label="Points &lt;over&gt; time"')
  expect(svg).toContain('2030-01-01 10:00 UTC')
})

test('the chart has room for negative points', () => {
  const items = [{ time: '2030-01-01T05:00:00Z', score: -99 }]
  const svg = renderTimelineSvg([{ id: 1, name: 'a', items }], start, end, 'Points').text
  // The vertical axis ranges from -99 to 1 point.
  expect(svg).toContain('d="M56 14.8H502V292H948"')
})
