import '@xterm/xterm/css/xterm.css'
import { FitAddon } from '@xterm/addon-fit'
import { type ITheme, Terminal } from '@xterm/xterm'
import { createDocumentWithNonce } from '../../../lib/csp.ts'

/** Screen of a terminal session, drawn by xterm.js. This file loads with the first terminal. */
export type Screen = Readonly<{
  focus: () => void
  clear: () => void
  /** Adapts rows and columns to the available space. */
  fit: () => void
  /** Updates the terminal to the current colors of the page. */
  recolor: () => void
  setRaw: (isRaw: boolean) => void
  dispose: () => void
}>

/** Returns terminal colors from the design tokens of the page. */
function themeOf(place: HTMLElement): ITheme {
  const computed = getComputedStyle(place)
  const token = (name: string) => computed.getPropertyValue(name).trim()
  return {
    background: token('--bg'),
    foreground: token('--text'),
    cursor: token('--brand-9'),
    cursorAccent: token('--bg'),
    selectionBackground: token('--brand-6'),
    black: token('--neutral-5'),
    red: token('--bad'),
    green: token('--ok'),
    yellow: token('--warn'),
    blue: token('--brand-11'),
    magenta: token('--terminal-magenta'),
    cyan: token('--terminal-cyan'),
    white: token('--neutral-11'),
    brightBlack: token('--neutral-9'),
    brightRed: token('--bad'),
    brightGreen: token('--ok'),
    brightYellow: token('--warn'),
    brightBlue: token('--brand-11'),
    brightMagenta: token('--terminal-magenta'),
    brightCyan: token('--terminal-cyan'),
    brightWhite: token('--neutral-12'),
  }
}

/** Object that sends output to a screen. */
export type ScreenSource = Readonly<{
  /**
   * Sends all earlier and future output to `screen`, which calls `onShown` after it has shown the bytes.
   * @returns a function that detaches the screen
   */
  attach: (screen: (bytes: Uint8Array, onShown?: () => void) => void) => () => void
}>

/**
 * @param onKeys receives the keys that the user presses in raw mode
 * @param onResize receives the new size, which a program in raw mode needs to position the cursor
 */
export function openTerminalScreen(
  place: HTMLElement,
  source: ScreenSource,
  onKeys: (keys: string) => void,
  onResize?: (size: Readonly<{ cols: number; rows: number }>) => void,
): Screen {
  const terminal = new Terminal({
    documentOverride: createDocumentWithNonce(),
    convertEol: !onResize,
    cursorBlink: false,
    cursorInactiveStyle: 'none',
    disableStdin: true,
    fontFamily: getComputedStyle(place).getPropertyValue('--mono'),
    fontSize: 13,
    lineHeight: 1.25,
    minimumContrastRatio: 4.5,
    screenReaderMode: true,
    scrollback: 5_000,
    theme: themeOf(place),
  })
  const fitting = new FitAddon()
  terminal.loadAddon(fitting)
  terminal.open(place)
  const sizes = onResize && terminal.onResize(onResize)
  fitting.fit()
  onResize?.(terminal)
  const keys = terminal.onData(onKeys)
  const detach = source.attach((bytes, onShown) => terminal.write(bytes, onShown))
  const observer = new ResizeObserver(() => fitting.fit())
  observer.observe(place)
  return {
    focus: () => terminal.focus(),
    clear: () => terminal.clear(),
    fit: () => fitting.fit(),
    recolor: () => {
      terminal.options.theme = themeOf(place)
    },
    setRaw: (isRaw) => {
      terminal.options.disableStdin = !isRaw
    },
    dispose: () => {
      observer.disconnect()
      detach()
      keys.dispose()
      sizes?.dispose()
      terminal.dispose()
    },
  }
}
