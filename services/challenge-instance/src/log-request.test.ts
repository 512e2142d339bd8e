import { expect, test } from 'vitest'
import { parseEventsRequest, pathOfEventsRequest } from './events-request.ts'
import { parseLogRequest, pathOfLogRequest } from './log-request.ts'

test('the operator can parse the address that the api builds for a log', () => {
  const request = { instance: 'ci-1', container: 'db', tailLines: 1_000, follow: true }
  expect(parseLogRequest(pathOfLogRequest(request))).toEqual(request)
})

test.each([
  '/instances/ci-1/containers/db/log',
  '/instances/ci-1/containers/db/log?tailLines=1001',
  '/instances/ci-1/containers/db/log?tailLines=-1',
  '/instances/ci-1%2F..%2Fci-2/containers/db/log?tailLines=1',
  '/instances/ci-1/containers/db/exec?tailLines=1',
])('the operator does not accept %s as the address of a log', (address) => {
  expect(parseLogRequest(address)).toBeUndefined()
})

test('the operator accepts the address that the api uses for container events, and refuses other addresses', () => {
  const address = { instance: 'ci-1', container: 'db' }
  expect(parseEventsRequest(pathOfEventsRequest(address))).toEqual(address)
  expect(parseEventsRequest('/instances/ci-1/containers/db/log?tailLines=1')).toBeUndefined()
  expect(parseEventsRequest('/instances/ci-1/containers/d%2Fb/events')).toBeUndefined()
})
