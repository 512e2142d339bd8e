import { expect, test } from 'vitest'
import { formatArchiveTimestamp, formatSheetTimestamp } from './timestamps.ts'

const time = new Date('2030-05-06T07:08:09.999+02:00')

test('formats UTC times for file names', () => {
  expect(formatArchiveTimestamp(time)).toBe('20300506-05.08.09Z')
  expect(formatSheetTimestamp(time)).toBe('20300506050809')
})
