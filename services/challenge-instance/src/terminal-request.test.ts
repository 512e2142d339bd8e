import { expect, test } from 'vitest'
import { readTerminalRequest, readTerminalSize, terminalRequestPath } from './terminal-request.ts'

test('reads the address that the api builds, and no other', () => {
  const address = { instance: 'ci-1', container: 'db' }
  expect(readTerminalRequest(terminalRequestPath(address))).toEqual(address)
  expect(readTerminalRequest('/instances/ci-1/containers/db/log?tailLines=1')).toBeUndefined()
})

test('reads a size', () => {
  expect(readTerminalSize(JSON.stringify({ columns: 80, rows: 24 }))).toEqual({ columns: 80, rows: 24 })
})

test.each([
  '',
  '{}',
  '{"columns":0,"rows":24}',
  '{"columns":1000,"rows":24}',
  '{"columns":80,"rows":-1}',
  '{"rows":24,"columns":80}x',
])('refuses the size %s', (text) => {
  expect(readTerminalSize(text)).toBeUndefined()
})
