import { expect, test } from 'vitest'
import { parseTerminalRequest, parseTerminalSize, pathOfTerminalRequest } from './terminal-request.ts'

test('the operator accepts the address that the api uses for a terminal, and refuses other addresses', () => {
  const address = { instance: 'ci-1', container: 'db' }
  expect(parseTerminalRequest(pathOfTerminalRequest(address))).toEqual(address)
  expect(parseTerminalRequest('/instances/ci-1/containers/db/log?tailLines=1')).toBeUndefined()
})

test('the operator can parse the size of a terminal', () => {
  expect(parseTerminalSize(JSON.stringify({ columns: 80, rows: 24 }))).toEqual({ columns: 80, rows: 24 })
})

test.each([
  '',
  '{}',
  '{"columns":0,"rows":24}',
  '{"columns":1000,"rows":24}',
  '{"columns":80,"rows":-1}',
  '{"rows":24,"columns":80}x',
])('refuses the size %s', (text) => {
  expect(parseTerminalSize(text)).toBeUndefined()
})
