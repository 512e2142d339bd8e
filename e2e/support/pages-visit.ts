import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser, BrowserContext } from 'playwright-core'

const megabyte = 1024 * 1024
const loadMegabytes = 100
/** Timeout that allows transfers of 100 MB on a busy machine. */
const longest = { timeout: 60_000 }

/** Results of a visit to `operator/testing-images/pages`. */
export type PagesVisit = Readonly<{
  address: string
  flag: string
  /** Size and SHA-256 of the uploaded file. The application computes `loaded`, and the test computes `sent`. */
  loaded: string
  sent: string
  /** Response to a range request for a long file, as text: status, `Content-Range` and bytes. */
  part: string
  /** Text that arrived over the WebSocket. */
  heard: string
  saved: string
  cargo: string
  errors: readonly string[]
}>

/**
 * Writes a random file in pieces.
 * @returns the SHA-256 of the file
 */
async function writeLoad(file: string): Promise<string> {
  const digest = createHash('sha256')
  const handle = await open(file, 'w')
  for (let written = 0; written < loadMegabytes; written += 1) {
    const piece = randomBytes(megabyte)
    digest.update(piece)
    await handle.write(piece)
  }
  await handle.close()
  return digest.digest('hex')
}

async function digestOf(file: string): Promise<string> {
  const digest = createHash('sha256')
  for await (const piece of createReadStream(file)) digest.update(piece as Buffer)
  return digest.digest('hex')
}

/** Returns the digest of the application's long file. Byte number n has the value n modulo 251. */
function cargoDigest(): string {
  const digest = createHash('sha256')
  const bytes = Buffer.from(Array.from({ length: megabyte + 250 }, (_, at) => at % 251))
  for (let at = 0; at < loadMegabytes * megabyte; at += megabyte) digest.update(bytes.subarray(at % 251, (at % 251) + megabyte))
  return digest.digest('hex')
}

/** Maximum number of visits. A visit is repeated if a change of the network interrupts it. */
const maxVisits = 50

/** True if Chromium aborted a request or a download because the network changed. */
function isNetworkChange(error: unknown): boolean {
  return error instanceof Error && /net::ERR_NETWORK_CHANGED|download\.saveAs: canceled/.test(error.message)
}

/**
 * Uses the pages of the application: logs in, sends 100 MB, reads a range, uses a WebSocket and saves a file. Chromium
 * aborts all requests when a network interface of the machine appears or disappears, and each pod of a local cluster
 * adds a network interface. Therefore, an interrupted visit is repeated.
 */
export async function visitApplicationPages(browser: Browser, site: string): Promise<PagesVisit> {
  for (let visits = 1; ; visits += 1) {
    // Ignore certificate errors, because tests use self-signed certificates.
    const context = await browser.newContext({ ignoreHTTPSErrors: true, locale: 'en-US' })
    const interrupted = Promise.withResolvers<never>()
    interrupted.promise.catch(() => {})
    context.on('requestfailed', (request) => {
      const error = new Error(request.failure()?.errorText)
      if (isNetworkChange(error)) interrupted.reject(error)
    })
    const visit = visitPages(context, site)
    try {
      return await Promise.race([visit, interrupted.promise])
    } catch (error) {
      if (!isNetworkChange(error) || visits === maxVisits) throw error
    } finally {
      await context.close()
      await visit.catch(() => {})
    }
  }
}

async function visitPages(context: BrowserContext, site: string): Promise<PagesVisit> {
  const folder = await mkdtemp(path.join(tmpdir(), 'capstan-visit-'))
  try {
    const load = path.join(folder, 'load.bin')
    const sent = `${loadMegabytes * megabyte} ${await writeLoad(load)}`
    const page = await context.newPage()
    page.setDefaultTimeout(120_000)
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    const shown = async (id: string): Promise<string> => {
      await page.locator(`#${id}:not(:empty)`).waitFor(longest)
      return (await page.locator(`#${id}`).textContent()) ?? ''
    }
    await page.goto(site)
    await page.getByRole('button', { name: 'Come aboard' }).click()
    await page.getByRole('heading', { name: 'Cargo hold' }).waitFor()
    const [address, flag] = [page.url(), await shown('flag')]
    await page.getByLabel('Load').setInputFiles(load)
    const loaded = await shown('loaded')
    await page.getByRole('button', { name: 'Look at a part' }).click()
    const part = await shown('seen')
    await page.getByRole('button', { name: 'Call' }).click()
    const heard = await shown('heard')
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Unload' }).click()])
    const file = path.join(folder, 'cargo.bin')
    await download.saveAs(file)
    return { address, flag, loaded, sent, part, heard, saved: await digestOf(file), cargo: cargoDigest(), errors }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Expected result of the range request, as the page shows it. */
const expectedPart = [
  '206',
  `bytes 52428800-52428804/${loadMegabytes * megabyte}`,
  ...Array.from({ length: 5 }, (_, at) => (52_428_800 + at) % 251),
].join(' ')

export function expectedResultOfVisit({ sent, cargo }: PagesVisit, site: string, flag: string): PagesVisit {
  return {
    ...{ address: `${site}hold`, flag, loaded: sent, sent, part: expectedPart, heard: 'Ahoy', saved: cargo, cargo, errors: [] },
  }
}

/**
 * Responses to requests for `/bottle`, which only a service worker serves. Each text contains the number of the site's workers, the
 * status and the body.
 */
export type WatchVisit = Readonly<{
  /** Responses of the site, before and after its service worker was installed. */
  before: string
  after: string
  /** Responses of other sites. The worker must not affect them. */
  elsewhere: readonly string[]
}>

export async function visitServiceWorkerPage(browser: Browser, site: string, others: readonly string[]): Promise<WatchVisit> {
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    page.setDefaultTimeout(120_000)
    const lookForBottle = () =>
      page.evaluate(async () => {
        const workers = await navigator.serviceWorker.getRegistrations()
        const answer = await fetch('/bottle')
        return `${workers.length} ${answer.status} ${await answer.text()}`.trim()
      })
    await page.goto(site)
    const before = await lookForBottle()
    await page.goto(`${site}watch`)
    await page.getByText('On watch').waitFor()
    const after = await lookForBottle()
    const elsewhere: string[] = []
    for (const other of others) {
      await page.goto(other)
      elsewhere.push(await lookForBottle())
    }
    return { before, after, elsewhere }
  } finally {
    await context.close()
  }
}
