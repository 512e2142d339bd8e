import { describe, expect, it } from 'vitest'
import { getBrowserAddress, listTerminalCommands, parseInstanceEntry } from './connection.ts'

const uuid = '0f5d7c1e-7a6b-4a53-9c55-1f2e3d4c5b6a'
function texts(entry: string) {
  const connection = parseInstanceEntry(entry, 'https://ctf.example.org')
  return connection && listTerminalCommands(connection).map(({ text }) => text)
}

describe('parsing the address of an instance', () => {
  it('a proxied instance has an id of 36 characters without a colon as its address', () => {
    expect(parseInstanceEntry(uuid, 'https://ctf.example.org')).toEqual({
      kind: 'proxy',
      id: uuid,
      webSocket: `wss://ctf.example.org/api/proxy/${uuid}`,
    })
    expect(parseInstanceEntry(uuid, 'http://localhost:8080')).toMatchObject({
      webSocket: `ws://localhost:8080/api/proxy/${uuid}`,
    })
  })

  it('a direct instance has a host and a port as its address', () => {
    expect(parseInstanceEntry('ctf.example.org:31337', '')).toMatchObject({
      kind: 'direct',
      host: 'ctf.example.org',
      port: 31_337,
    })
    expect(parseInstanceEntry('[2001:db8::1]:80', '')).toMatchObject({ kind: 'direct', host: '[2001:db8::1]', port: 80 })
  })

  it.each(['', 'somewhere', ':80', 'host:'])('the address of an instance is unknown if the server sends %j', (entry) => {
    expect(parseInstanceEntry(entry, '')).toBeUndefined()
  })

  it("the page shows commands that connect to an instance from the player's own terminal", () => {
    expect(texts('10.0.0.7:31337')).toEqual(['nc 10.0.0.7 31337'])
    expect(texts('[2001:db8::1]:80')).toEqual(['nc 2001:db8::1 80'])
    expect(texts(uuid)).toEqual([
      `websocat -b wss://ctf.example.org/api/proxy/${uuid}`,
      `websocat -b tcp-l:127.0.0.1:1337 wss://ctf.example.org/api/proxy/${uuid}`,
      'nc 127.0.0.1 1337',
    ])
  })

  it('the browser address is the host of a direct instance, or the local port that forwards to a proxied instance', () => {
    const address = (entry: string) => {
      const connection = parseInstanceEntry(entry, 'https://ctf.example.org')
      return connection && getBrowserAddress(connection)
    }
    expect(address('10.0.0.7:31337')).toBe('http://10.0.0.7:31337/')
    expect(address(uuid)).toBe('http://127.0.0.1:1337/')
  })
})
