import type { InstanceAccess } from '@capstan/contract/reach'
import { describe, expect, it } from 'vitest'
import {
  browserAddressOf,
  connectionCommands,
  firstLineOf,
  furtherPortsOf,
  isOfInstance,
  isReachableByPhones,
  nameOf,
} from './ways.ts'

const host = 'abcdefghijklmnopqrst.play.example'
const http: InstanceAccess = { way: 'http', address: `https://${host}/` }
const tls: InstanceAccess = { way: 'tls', address: `${host}:1337` }
const tcp: InstanceAccess = { way: 'tcp', address: 'play.example:31007' }
const websocket: InstanceAccess = { way: 'websocket', address: '/api/proxy/0f5d7c1e-7a6b-4a53-9c55-1f2e3d4c5b6a' }

describe('the connections to an instance', () => {
  it('a connection has commands for each supported tool', () => {
    expect(connectionCommands(http)).toEqual([`curl -i https://${host}/`])
    expect(connectionCommands(tcp)).toEqual([
      'nc play.example 31007',
      'socat - TCP:play.example:31007',
      "from pwn import *; io = remote('play.example', 31007)",
    ])
    expect(connectionCommands(tls)).toEqual([
      `ncat --ssl ${host} 1337`,
      `openssl s_client -quiet -servername ${host} -connect ${host}:1337`,
      `socat - OPENSSL:${host}:1337,snihost=${host},verify=0`,
      `from pwn import *; io = remote('${host}', 1337, ssl=True)`,
    ])
    expect(connectionCommands(websocket)).toEqual([])
  })

  it('a connection has TLS commands if the challenge terminates TLS itself', () => {
    expect(connectionCommands({ ...tcp, isTls: true })).toEqual([
      'ncat --ssl play.example 31007',
      'openssl s_client -quiet -connect play.example:31007',
      'socat - OPENSSL:play.example:31007,verify=0',
      "from pwn import *; io = remote('play.example', 31007, ssl=True)",
    ])
    expect(browserAddressOf([{ ...tcp, isTls: true }, websocket], true)).toBe('https://play.example:31007/')
  })

  it('commands use localhost, because only browsers resolve names below localhost', () => {
    const name = 'abcdefghijklmnopqrst.localhost'
    expect(connectionCommands({ way: 'tls', address: `${name}:1337` })).toEqual([
      `ncat --ssl --ssl-servername ${name} localhost 1337`,
      `openssl s_client -quiet -servername ${name} -connect localhost:1337`,
      `socat - OPENSSL:localhost:1337,snihost=${name},verify=0`,
      `from pwn import *; io = remote('localhost', 1337, ssl=True, sni='${name}')`,
    ])
    // The default certificate is self-signed, so curl needs -k.
    expect(connectionCommands({ way: 'http', address: `https://${name}:1337/` })).toEqual([`curl -ik https://${name}:1337/`])
    expect(connectionCommands({ way: 'http', address: `http://${name}:8080/` })).toEqual([`curl -i http://${name}:8080/`])
  })

  it('commands for nc and pwntools contain IPv6 addresses without brackets', () => {
    expect(connectionCommands({ way: 'tcp', address: '[2001:db8::1]:80' })).toEqual([
      'nc 2001:db8::1 80',
      'socat - TCP:[2001:db8::1]:80',
      "from pwn import *; io = remote('2001:db8::1', 80)",
    ])
  })

  it('the browser address is the host name of the instance, or the port of a web site without a host name', () => {
    expect(browserAddressOf([http, tls, tcp, websocket], true)).toBe(`https://${host}/`)
    expect(browserAddressOf([tcp, tls, websocket], true)).toBe('http://play.example:31007/')
    expect(browserAddressOf([tcp, tls, websocket], false)).toBeUndefined()
    expect(browserAddressOf([tls, websocket], true)).toBeUndefined()
  })

  it('each additional port of a container has one best connection', () => {
    const shop: InstanceAccess = { way: 'http', address: 'https://x-8080.play.example/', port: 8080 }
    const ways = [tcp, websocket, shop, { ...tls, port: 8080 }, { ...tls, port: 9000 }]
    expect(furtherPortsOf(ways).map(nameOf)).toEqual(['HTTP :8080', 'TLS :9000'])
    expect(furtherPortsOf(ways).map(firstLineOf)).toEqual(['https://x-8080.play.example/', `ncat --ssl ${host} 1337`])
    // An HTTP connection to another port does not open the web site of the challenge.
    expect(browserAddressOf(ways, false)).toBeUndefined()
  })

  it.each([
    ['https://play.example/', true],
    ['http://192.0.2.7:8080/', true],
    ['http://abcdefghijklmnopqrst.localhost:8080/', false],
    ['http://localhost:31000/', false],
    ['http://127.0.0.1:31000/', false],
    ['http://[::1]:31000/', false],
  ])('a phone can open the address %s: %s', (site, expected) => {
    expect(isReachableByPhones(site)).toBe(expected)
  })

  it('connections belong to the current instance only if their tunnel has its id', () => {
    expect(isOfInstance([tcp, websocket], '0f5d7c1e-7a6b-4a53-9c55-1f2e3d4c5b6a')).toBe(true)
    expect(isOfInstance([tcp, websocket], '00000000-7a6b-4a53-9c55-1f2e3d4c5b6a')).toBe(false)
    expect(isOfInstance([], '0f5d7c1e-7a6b-4a53-9c55-1f2e3d4c5b6a')).toBe(false)
  })
})
