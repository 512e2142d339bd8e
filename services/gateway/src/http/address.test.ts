import { describe, expect, it } from 'vitest'
import { parseGatewayAddress, readQueryParameter } from './address.ts'

const id = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee'

describe('parseGatewayAddress', () => {
  it.each([
    ['/hub/user?game=7', { kind: 'hub', hub: 'user' }],
    ['/hub/monitor', { kind: 'hub', hub: 'monitor' }],
    ['/HUB/Admin/', { kind: 'hub', hub: 'admin' }],
    ['/hub/user/negotiate?game=7&negotiateVersion=1', { kind: 'negotiate', hub: 'user' }],
    ['/Hub/User/Negotiate', { kind: 'negotiate', hub: 'user' }],
    ['/hub', { kind: 'nothing' }],
    ['/hub/', { kind: 'nothing' }],
    ['/hub/nobody', { kind: 'nothing' }],
    ['/hub/user/more', { kind: 'nothing' }],
    [`/api/proxy/${id}`, { kind: 'proxy', owner: 'team', instanceId: id }],
    [`/API/PROXY/${id.toUpperCase()}?x=1`, { kind: 'proxy', owner: 'team', instanceId: id }],
    [`/api/proxy/noinst/${id}`, { kind: 'proxy', owner: 'test', instanceId: id }],
    [`/api/proxy/NoInst/${id}/`, { kind: 'proxy', owner: 'test', instanceId: id }],
    ['/api/proxy', { kind: 'nothing' }],
    ['/api/proxy/noinst', { kind: 'nothing' }],
    [`/api/proxy/other/${id}`, { kind: 'nothing' }],
    [`/api/proxy/${id}0`, { kind: 'nothing' }],
  ])('parses the address %s', (url, expected) => {
    expect(parseGatewayAddress(url)).toEqual(expected)
  })

  it.each(['/', '/hubs', '/hubcap/user', '/api/proxying', '/api/game', '/x/hub/user', '', '*'])(
    'returns undefined for the address %s, which the gateway does not serve',
    (url) => {
      expect(parseGatewayAddress(url)).toBeUndefined()
    },
  )
})

describe('readQuery', () => {
  it.each([
    ['/hub/user?game=7', 'game', '7'],
    ['/hub/user?a=1&GAME=8&game=9', 'game', '8'],
    ['/hub/user?game=', 'game', ''],
    ['/hub/user?id=a%2Bb', 'id', 'a+b'],
    ['/hub/user', 'game', undefined],
    ['/hub/user?', 'game', undefined],
  ])('in the address %s, the parameter %s has the value %s', (url, name, expected) => {
    expect(readQueryParameter(url, name)).toBe(expected)
  })
})
