import { describe, expect, it } from 'vitest'
import { encodeCloseMessage, encodeInvocation, findHandshakeFault, MessageSplitter, parseClientMessage } from './protocol.ts'

describe('the message splitter', () => {
  it.each<[string, string[], string[][]]>([
    ['one message in one frame', ['a\x1e'], [['a']]],
    ['several messages in one frame', ['a\x1eb\x1e\x1e'], [['a', 'b', '']]],
    ['one message over three frames', ['a', 'b', 'c\x1e'], [[], [], ['abc']]],
    ['an end and a beginning in one frame', ['a\x1eb', 'c\x1e'], [['a'], ['bc']]],
    ['an empty frame', ['', 'a\x1e'], [[], ['a']]],
  ])('splits frames into messages: %s', (_name, frames, expected) => {
    const splitter = new MessageSplitter()
    expect(frames.map((frame) => splitter.split(Buffer.from(frame)))).toEqual(expected)
  })

  it('joins a character that is split between two frames', () => {
    const splitter = new MessageSplitter()
    const bytes = Buffer.from('世\x1e')
    expect(splitter.split(bytes.subarray(0, 1))).toEqual([])
    expect(splitter.split(bytes.subarray(1))).toEqual(['世'])
  })

  it('accepts a message of 32768 bytes and refuses a message with one more byte', () => {
    expect(new MessageSplitter().split(Buffer.from(`${'a'.repeat(32_768)}\x1e`))).toEqual(['a'.repeat(32_768)])
    expect(new MessageSplitter().split(Buffer.from(`${'a'.repeat(32_769)}\x1e`))).toBeUndefined()
    expect(new MessageSplitter().split(Buffer.from('a'.repeat(32_769)))).toBeUndefined()
  })

  it('joins messages of maximum length that arrive byte by byte', () => {
    const splitter = new MessageSplitter()
    for (let message = 0; message < 2; message += 1) {
      for (let byte = 0; byte < 32_768; byte += 1) expect(splitter.split(Buffer.from('a'))).toEqual([])
      expect(splitter.split(Buffer.from('\x1e'))).toEqual(['a'.repeat(32_768)])
    }
  })

  it('refuses a message whose frames together exceed the maximum', () => {
    const splitter = new MessageSplitter()
    splitter.split(Buffer.from('a'.repeat(20_000)))
    expect(splitter.split(Buffer.from('a'.repeat(20_000)))).toBeUndefined()
  })
})

describe('a handshake', () => {
  it.each(['{"protocol":"json","version":1}', '{"version":1,"protocol":"json","more":true}'])('accepts handshake %s', (text) => {
    expect(findHandshakeFault(text)).toBeUndefined()
  })

  it.each([
    '',
    'x',
    'null',
    '[]',
    '1',
    '{}',
    '{"protocol":"json"}',
    '{"protocol":"json","version":"1"}',
    '{"protocol":"json","version":2}',
  ])('refuses handshake %s', (text) => {
    expect(findHandshakeFault(text)).toEqual(expect.any(String))
  })
})

describe('a client message', () => {
  it.each([
    ['{"type":7}', { kind: 'close' }],
    ['{"type":7,"error":"x"}', { kind: 'close' }],
    ['{"type":1,"invocationId":"5","target":"a","arguments":[]}', { kind: 'call', invocationId: '5' }],
    ['{"type":4,"invocationId":"5","target":"a","arguments":[]}', { kind: 'call', invocationId: '5' }],
    ['{"type":1,"target":"a","arguments":[]}', { kind: 'ignored' }],
    ['{"type":1,"invocationId":5}', { kind: 'ignored' }],
    ['{"type":6}', { kind: 'ignored' }],
    ['{"type":99}', { kind: 'ignored' }],
    ['{}', { kind: 'invalid' }],
    ['[]', { kind: 'invalid' }],
    ['', { kind: 'invalid' }],
  ])('parses client message %s', (text, expected) => {
    expect(parseClientMessage(text)).toEqual(expected)
  })
})

describe('a server message', () => {
  it('a server message can be a call with one argument', () => {
    expect(encodeInvocation('Received', { a: 'é"' })).toBe('{"type":1,"target":"Received","arguments":[{"a":"é\\""}]}\x1e')
  })

  it('a server message can close the connection with a reason', () => {
    expect(encodeCloseMessage({})).toBe('{"type":7}\x1e')
    expect(encodeCloseMessage({ error: 'no', allowReconnect: true })).toBe('{"type":7,"error":"no","allowReconnect":true}\x1e')
  })
})
