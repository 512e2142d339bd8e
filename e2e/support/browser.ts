import { accessSync, constants } from 'node:fs'
import path from 'node:path'
import { type Browser, type BrowserServer, chromium } from 'playwright-core'

/**
 * Chromium features to disable. The first line lists features of the address bar, which start two processes for each window.
 * Without these features, a new page needs half as much CPU. The other lines repeat Playwright's list, because Chromium uses only
 * the last such option.
 */
const disabledFeatures = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup'],
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades', 'PaintHolding'],
  ...['HttpsFirstBalancedModeAutoEnable', 'LensOverlay', 'MediaRouter', 'ThirdPartyStoragePartitioning', 'AimEnabled'],
  ...['AvoidCorsURLLoaderRestartOnRedirect', 'OptimizationHints', 'NetworkTimeServiceQuerying', 'PreconnectToSearch'],
]

export const browserFlags: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  `--disable-features=${disabledFeatures.join()}`,
  // Do not optimize scripts, because most pages run only for seconds. A page load then needs about a tenth less CPU.
  '--js-flags=--no-opt --no-maglev',
  // Draw in one thread, and letters without colored edges.
  '--num-raster-threads=1',
  '--disable-lcd-text',
]
/**
 * Names of programs in order of preference. The headless shell has no windows, so it needs half as much CPU as the
 * other programs.
 */
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

type Environment = Readonly<Record<string, string | undefined>>

/** Returns the paths at which this program may be, according to PATH. */
function placesOnPath(program: string, env: Environment): string[] {
  return (env.PATH ?? '')
    .split(path.delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => path.join(folder, program))
}

export function isProgramInstalled(program: string): boolean {
  return placesOnPath(program, process.env).some(isExecutable)
}

/**
 * Returns the path of a Chromium: CHROMIUM_PATH if it is set, and otherwise the first program in PATH.
 * @returns undefined if there is no Chromium
 */
export function findChromium(env: Environment = process.env): string | undefined {
  const configured = env.CHROMIUM_PATH
  return configured
    ? isExecutable(configured)
      ? configured
      : undefined
    : names.flatMap((name) => placesOnPath(name, env)).find(isExecutable)
}

function launchOptions(more: readonly string[] = []) {
  const executablePath = findChromium()
  if (!executablePath) throw new Error('No Chromium found: install it or set CHROMIUM_PATH')
  return { executablePath, args: [...browserFlags, ...more] }
}

/**
 * Starts a headless Chromium.
 * @throws if no Chromium is installed
 */
export function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  return chromium.launch(launchOptions(more))
}

/**
 * Starts a headless Chromium that many test files share. The test files connect to its `wsEndpoint`.
 * @throws if no Chromium is installed
 */
export function startSharedBrowser(): Promise<BrowserServer> {
  return chromium.launchServer(launchOptions())
}

/**
 * Connects to the Chromium at this address. Each connection has separate pages. Closing a connection closes only the
 * pages of this connection.
 */
export function connectBrowser(address = ''): Promise<Browser> {
  return chromium.connect(address)
}
