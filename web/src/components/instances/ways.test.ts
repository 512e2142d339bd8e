import type { InstanceAccess } from '@capstan/contract/reach'
import { describe, expect, it } from 'vitest'
import {
  areConnectionsOfInstance,
  findBrowserAddress,
  firstCopyableLineOf,
  isReachableByPhones,
  listBestConnectionPerPort,
  listConnectionCommands,
  nameOfConnection,
} from './ways.ts'

const host = 'abcdefghijklmnopqrst.play.example'
const http: InstanceAccess = { way: 'http', address: `https://${host}/` }
const tls: InstanceAccess = { way: 'tls', address: `${host}:1337` }
const tcp: InstanceAccess = { way: 'tcp', address: 'play.example:31007' }
const websocket: InstanceAccess = { way: 'websocket', address: '/api/proxy/0f5d7c1e-7a6b-4a53-9c55-1f2e3d4c5b6a' }

describe('the connections to an instance', () => {
  it('a connection has commands for each supported tool', () => {
    expect(listConnectionCommands(http)).toEqual([`curl -i https://${host}/`])
    expect(listConnectionCommands(tcp)).toEqual([
      'nc play.example 31007',
      'socat - TCP:play.example:31007',
      "from pwn import *; io = remote('play.example', 31007)",
    ])
    expect(listConnectionCommands(tls)).toEqual([
      `ncat --ssl ${host} 1337`,
      `openssl s_client -quiet -servername ${host} -connect ${host}:1337`,
      `socat - OPENSSL:${host}:1337,snihost=${host},verify=0`,
      `from pwn import *; io = remote('${host}', 1337, ssl=True)`,
    ])
    expect(listConnectionCommands(websocket)).toEqual([])
  })

  it('a connection has TLS commands if the challenge terminates TLS itself', () => {
    expect(listConnectionCommands({ ...tcp, isTls: true })).toEqual([
      'ncat --ssl play.example 31007',
      'openssl s_client -quiet -connect play.example:31007',
      'socat - OPENSSL:play.example:31007,verify=0',
      "from pwn import *; io = remote('play.example', 31007, ssl=True)",
    ])
    expect(findBrowserAddress([{ ...tcp, isTls: true }, websocket], true)).toBe('https://play.example:31007/')
  })

  it('commands use localhost, because only browsers resolve names below localhost', () => {
    const name = 'abcdefghijklmnopqrst.localhost'
    expect(listConnectionCommands({ way: 'tls', address: `${name}:1337` })).toEqual([
      `ncat --ssl --ssl-servername ${name} localhost 1337`,
      `openssl s_client -quiet -servername ${name} -connect localhost:1337`,
      `socat - OPENSSL:localhost:1337,snihost=${name},verify=0`,
      `from pwn import *; io = remote('localhost', 1337, ssl=True, sni='${name}')`,
    ])
    // The default certificate is self-signed, so curl needs -k.
    expect(listConnectionCommands({ way: 'http', address: `https://${name}:1337/` })).toEqual([`curl -ik https://${name}:1337/`])
    expect(listConnectionCommands({ way: 'http', address: `http://${name}:8080/` })).toEqual([`curl -i http://${name}:8080/`])
  })

  it('commands for nc and pwntools contain IPv6 addresses without brackets', () => {
    expect(listConnectionCommands({ way: 'tcp', address: '[2001:db8::1]:80' })).toEqual([
      'nc 2001:db8::1 80',
      'socat - TCP:[2001:db8::1]:80',
      "from pwn import *; io = remote('2001:db8::1', 80)",
    ])
  })

  it('the browser address is the host name of the instance, or the port of a web site without a host name', () => {
    expect(findBrowserAddress([http, tls, tcp, websocket], true)).toBe(`https://${host}/`)
    expect(findBrowserAddress([tcp, tls, websocket], true)).toBe('http://play.example:31007/')
    expect(findBrowserAddress([tcp, tls, websocket], false)).toBeUndefined()
    expect(findBrowserAddress([tls, websocket], true)).toBeUndefined()
  })

  it('each additional port of a container has one best connection', () => {
    const shop: InstanceAccess = { way: 'http', address: 'https://x-8080.play.example/', port: 8080 }
    const ways = [tcp, websocket, shop, { ...tls, port: 8080 }, { ...tls, port: 9000 }]
    expect(listBestConnectionPerPort(ways).map(nameOfConnection)).toEqual(['HTTP :8080', 'TLS :9000'])
    expect(listBestConnectionPerPort(ways).map(firstCopyableLineOf)).toEqual([
      'https://x-8080.play.example/',
      `ncat --ssl ${host} 1337`,
    ])
    // An HTTP connection to another port does not open the web site of the challenge.
    expect(findBrowserAddress(ways, false)).toBeUndefined()
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

  it('connections belong to an instance only if the address of the tunnel contains the id of the instance', () => {
    expect(areConnectionsOfInstance([tcp, websocket], '0f5d7c1e-7a6b-4a53-9c55-1f2e3d4c5b6a')).toBe(true)
    expect(areConnectionsOfInstance([tcp, websocket], '00000000-7a6b-4a53-9c55-1f2e3d4c5b6a')).toBe(false)
    expect(areConnectionsOfInstance([], '0f5d7c1e-7a6b-4a53-9c55-1f2e3d4c5b6a')).toBe(false)
  })
})
