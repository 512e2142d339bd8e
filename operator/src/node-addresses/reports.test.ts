import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hasCompleteReport, type ReportingPod, readReportedAddresses } from './reports.ts'

const metadata = { name: 'n', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-05-01T12:00:00Z' }
const container = { name: 'c', ready: false, restartCount: 0 }
function ended(message?: string, exitCode = 0) {
  return { terminated: { exitCode, ...(message !== undefined && { message }) } }
}
function aPod(first: object, changes: object): ReportingPod {
  return {
    metadata,
    status: { initContainerStatuses: [{ ...container, state: first }], containerStatuses: [{ ...container, ...changes }] },
  }
}

describe('the addresses that a pod reports', () => {
  it.each([
    ['are unknown before its first container has ended', { running: { startedAt: '' } }, {}, undefined],
    ['are unknown if its first container has failed', ended('oops', 1), {}, undefined],
    ['are none if the node has no public address', ended('begin\nend\n'), {}, []],
    ['come from its first container', ended('begin\n203.0.113.5\n2001:db8::1\nend\n'), {}, ['203.0.113.5', '2001:db8::1']],
    ['come from the last change', ended('203.0.113.5'), { lastState: ended('203.0.113.6\n') }, ['203.0.113.6']],
    [
      'remain unchanged after a container was killed',
      ended('203.0.113.5'),
      { lastState: ended(undefined, 137) },
      ['203.0.113.5'],
    ],
    ['omit an incomplete line', ended('203.0.113.5\n203.0.1'), {}, ['203.0.113.5']],
  ])('%s', (_name, first, changes, expected) => {
    expect(readReportedAddresses(aPod(first, changes))).toEqual(expected)
  })
})

/** Runs the script on a host with the given contents of `/proc/net`. */
function runReport(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'capstan-proc-net-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text)
  const script = path.join(import.meta.dirname, 'report.sh')
  return execFileSync('sh', [script], { encoding: 'utf8', env: { ...process.env, PROC_NET: folder } })
}

function trieOf(addresses: readonly string[]): string {
  return addresses.map((address) => `        |-- ${address}\n           /32 host LOCAL\n`).join('')
}

describe('a report that Kubernetes cuts', () => {
  const maxMessageBytes = 4_096
  const report = () =>
    runReport({ fib_trie: trieOf(Array.from({ length: 400 }, (_, index) => `198.18.${index >> 8}.${index & 255}`)) })

  it.each([
    ['its end', (text: string) => text.slice(0, maxMessageBytes)],
    ['its start', (text: string) => text.slice(-maxMessageBytes)],
    ['its last line', (text: string) => text.replace(/end\n$/, '')],
    ['its first line', (text: string) => text.replace(/^begin\n/, '')],
    ['everything', () => ''],
  ])('is incomplete without %s, but the addresses in the rest of the report are still used', (_what, cut) => {
    const whole = report()
    const pod = aPod(ended(cut(whole)), {})
    expect(hasCompleteReport(aPod(ended(whole), {}))).toBe(true)
    expect(hasCompleteReport(pod)).toBe(false)
    expect(readReportedAddresses(pod)?.length).toBe(
      cut(whole)
        .split('\n')
        .filter((line) => /^(?:\d+\.){3}\d+$/.test(line)).length,
    )
  })

  it('is complete even if the host has no public address, but not before the pod has reported', () => {
    expect(hasCompleteReport(aPod(ended(runReport({ fib_trie: trieOf(['10.0.0.1']) })), {}))).toBe(true)
    expect(hasCompleteReport(aPod({ running: { startedAt: '' } }, {}))).toBe(false)
  })
})

it('the report contains only the public addresses of a host', () => {
  const local = [
    ...['127.0.0.1', '10.1.2.3', '100.64.0.1', '100.127.9.9', '169.254.1.1', '172.16.0.1', '172.31.0.1', '192.168.7.7'],
    ...['192.0.2.2', '100.128.0.1', '172.32.0.1', '203.0.113.9', '203.0.113.9'],
  ]
  const network =
    '        |-- 198.51.100.0\n           /24 link UNICAST\n        |-- 198.51.100.255\n           /32 link BROADCAST\n'
  const report = runReport({
    fib_trie: `Main:\n  +-- 0.0.0.0/0 3 0 5\n${trieOf(local)}${network}`,
    if_inet6: [
      '00000000000000000000000000000001 01 80 10 80       lo',
      'fe8000000000000000fc00fffe000001 02 40 20 80     eth0',
      'fd000000000000000000000000000002 02 40 00 80     eth0',
      '20010db8000000000000000000000a07 02 40 00 80     eth0\n',
    ].join('\n'),
  })
  expect(report.trim().split('\n')).toEqual([
    ...['begin', '100.128.0.1', '172.32.0.1', '192.0.2.2', '2001:0db8:0000:0000:0000:0000:0000:0a07', '203.0.113.9', 'end'],
  ])
})
