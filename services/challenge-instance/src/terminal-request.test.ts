import { expect, test } from 'vitest'
import { readTerminalRequest, readTerminalSize, terminalRequestPath } from './terminal-request.ts'

test('the operator can read the address of a terminal that the api builds, and refuses other addresses', () => {
  const address = { instance: 'ci-1', container: 'db' }
  expect(readTerminalRequest(terminalRequestPath(address))).toEqual(address)
  expect(readTerminalRequest('/instances/ci-1/containers/db/log?tailLines=1')).toBeUndefined()
})

test('the operator can read the size of a terminal', () => {
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
