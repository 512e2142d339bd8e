import { accessSync, constants } from 'node:fs'
import path from 'node:path'
import { type Browser, type BrowserServer, chromium } from 'playwright-core'

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]
const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Path of a Chromium: CHROMIUM_PATH, else Debian's, else the first on PATH; undefined if there is none. */
export function findChromium(env: Readonly<Record<string, string | undefined>> = process.env): string | undefined {
  const onPath = (env.PATH ?? '')
    .split(path.delimiter)
    .filter((folder) => folder !== '')
    .flatMap((folder) => names.map((name) => path.join(folder, name)))
  const told = env.CHROMIUM_PATH
  return told ? (isExecutable(told) ? told : undefined) : ['/usr/bin/chromium', ...onPath].find(isExecutable)
}

const launchOptions = () => {
  const executablePath = findChromium()
  if (!executablePath) throw new Error('No Chromium found: install it or set CHROMIUM_PATH')
  return { executablePath, args: flags }
}

/** Starts a headless Chromium. Throws if there is none. */
export const launchBrowser = (): Promise<Browser> => chromium.launch(launchOptions())

/** Starts a headless Chromium for many files, each of which connects to its `wsEndpoint`. Throws if there is none. */
export const serveBrowser = (): Promise<BrowserServer> => chromium.launchServer(launchOptions())

/** The Chromium at this address; what is opened in it is of this connection alone, and closing ends only that. */
export const connectBrowser = (address = ''): Promise<Browser> => chromium.connect(address)
