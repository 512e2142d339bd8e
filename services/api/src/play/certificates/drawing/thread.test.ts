import process from 'node:process'
import type { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import type { CertificatePage } from './page.ts'
import { createCertificateThread } from './thread.ts'

const page: CertificatePage = {
  title: 'Certificate',
  text: 'for Kernel Panic',
  signer: 'Ada, chair',
  paper: 'A4',
  orientation: 'landscape',
  language: 'en-US',
  date: new Date('2026-05-01T00:00:00Z'),
  background: undefined,
  logo: undefined,
  signature: undefined,
}

test('a user waits for at most two of the ten certificates that another user has requested', async () => {
  const thread = createCertificateThread()
  const drawn: string[] = []
  const draw = async (caller: string) => {
    expect(Buffer.from(await thread.draw(page, { network: caller, key: caller })).toString('latin1', 0, 5)).toBe('%PDF-')
    drawn.push(caller)
  }
  await Promise.all([...Array.from({ length: 10 }, () => draw('first')), draw('second')])
  await thread.close()
  expect(drawn.indexOf('second')).toBeLessThanOrEqual(2)
})

test('an error of an idle thread does not end the process, and the next certificate starts another thread', async () => {
  const workers: Worker[] = []
  const remember = (worker: Worker) => void workers.push(worker)
  process.on('worker', remember)
  onTestFinished(() => void process.off('worker', remember))
  const thread = createCertificateThread()
  const caller = { network: 'first', key: 'first' }
  await thread.draw(page, caller)
  const [idle] = workers
  idle?.emit('error', new Error('out of memory'))
  await idle?.terminate()
  expect(Buffer.from(await thread.draw(page, caller)).toString('latin1', 0, 5)).toBe('%PDF-')
  expect(workers).toHaveLength(2)
  await thread.close()
})
