import {
  type ClipboardEvent,
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
} from 'react'
import { useTranslation } from 'react-i18next'
import { onLogOut } from '../../../lib/forget.ts'
import { TransportError } from '../../../lib/http.ts'
import { loadApplicationFile } from '../../../lib/load-file.ts'
import { useColorScheme } from '../../../stores/color-scheme.ts'
import { Button } from '../../ui/button.tsx'
import { cx } from '../../ui/cx.ts'
import { createSubmitHandler } from '../../ui/form.ts'
import { ErrorText } from '../../ui/states.tsx'
import styles from '../instances.module.css'
import { findPasteToConfirm, type GuardedPaste } from './paste-guard.ts'
import type { Screen } from './screen.ts'
import type { TerminalSession } from './terminal-session.ts'

type TerminalPaneProps = Readonly<{
  session: TerminalSession
  isOpen: boolean
  isRaw: boolean
  screen: RefObject<Screen | null>
  /** Function that focuses the element of the terminal that receives keys. */
  writing: RefObject<(() => void) | null>
}>

export function TerminalPane({ session, isOpen, isRaw, screen, writing }: TerminalPaneProps) {
  const { t } = useTranslation('instances')
  const place = useRef<HTMLDivElement>(null)
  const line = useRef<HTMLInputElement>(null)
  const scheme = useColorScheme((state) => `${state.choice} ${state.system}`)
  const [paste, setPaste] = useState<GuardedPaste>()
  const [failure, setFailure] = useState<TransportError>()
  const raw = useRef(isRaw)
  raw.current = isRaw
  const focus = useCallback(() => {
    if (raw.current) screen.current?.focus()
    else line.current?.focus()
  }, [screen])
  useImperativeHandle(writing, () => focus, [focus])

  useEffect(() => {
    const element = place.current
    if (!element) return
    let current = true
    void loadApplicationFile(() => import('./screen.ts')).then(
      ({ openTerminalScreen }) => {
        if (!current) return
        const opened = openTerminalScreen(element, session, (keys) => raw.current && session.send(keys))
        opened.setRaw(raw.current)
        screen.current = opened
        focus()
      },
      () => current && setFailure(new TransportError('network', 'Network Error')),
    )
    return () => {
      current = false
      screen.current?.dispose()
      screen.current = null
    }
  }, [session, screen, focus])

  useEffect(() => {
    screen.current?.setRaw(isRaw)
    focus()
  }, [isRaw, screen, focus])

  // The input line is absent while the confirmation is open. Focus the input line when the confirmation closes.
  const isAsking = paste !== undefined
  useEffect(() => {
    if (!isAsking) focus()
  }, [isAsking, focus])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the colors must be applied again when the scheme changes
  useEffect(() => {
    const frame = requestAnimationFrame(() => screen.current?.recolor())
    return () => cancelAnimationFrame(frame)
  }, [scheme, screen])

  const guard = (event: ClipboardEvent) => {
    const guarded = findPasteToConfirm(event.clipboardData.getData('text/plain'))
    if (!guarded) return
    event.preventDefault()
    event.stopPropagation()
    setPaste(guarded)
  }
  const answered = () => setPaste(undefined)
  const sendPaste = ({ text }: GuardedPaste) => {
    if (isRaw) session.send(text.replaceAll('\n', '\r'))
    else for (const each of text.replace(/\n$/, '').split('\n')) sendLine(session, each)
    answered()
  }

  return (
    <div className={styles.dockBody}>
      {failure && (
        <div className={cx('row small', styles.closed)} role="alert">
          <ErrorText error={failure} />
        </div>
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a click on the output only focuses the input line */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: keyboard users reach the input line with Tab */}
      <div
        ref={place}
        className={styles.screen}
        onPasteCapture={guard}
        onClick={() => !isRaw && getSelection()?.isCollapsed !== false && line.current?.focus()}
      />
      {paste && (
        <div className={cx('row small', styles.closed)} role="alertdialog" aria-label={t('terminal.pasteTitle')}>
          <span className="grow">{t('terminal.pasteText', { count: paste.lines })}</span>
          <code className="truncate muted">{paste.text.split('\n')[0]}</code>
          <Button size="small" onClick={answered}>
            {t('terminal.pasteDrop')}
          </Button>
          <Button size="small" variant="primary" autoFocus onClick={() => sendPaste(paste)}>
            {t('terminal.pasteSend', { count: paste.lines })}
          </Button>
        </div>
      )}
      {!isRaw && !paste && <Line session={session} isOpen={isOpen} input={line} onPaste={guard} />}
    </div>
  )
}

/** Sends a line and shows it in the output, as a terminal would. */
function sendLine(session: TerminalSession, text: string) {
  if (session.send(`${text}\n`)) session.echo(`\u001b[36m${text}\u001b[0m\r\n`)
}

type LineProps = Readonly<{
  session: TerminalSession
  isOpen: boolean
  input: RefObject<HTMLInputElement | null>
  onPaste: (event: ClipboardEvent) => void
}>

const sent: string[] = []
onLogOut(() => void sent.splice(0))

/** Input line with native editing. The arrow keys recall earlier lines. */
function Line({ session, isOpen, input, onPaste }: LineProps) {
  const { t } = useTranslation('instances')
  const [text, setText] = useState('')
  const at = useRef(sent.length)
  const send = () => {
    if (!isOpen) return
    sendLine(session, text)
    if (text !== '' && sent.at(-1) !== text) sent.push(text)
    at.current = sent.length
    setText('')
  }
  const browse = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0
    if (step === 0) return
    event.preventDefault()
    at.current = Math.min(sent.length, Math.max(0, at.current + step))
    setText(sent[at.current] ?? '')
  }
  return (
    <form className={cx('line', styles.line)} onSubmit={createSubmitHandler(send)}>
      <span aria-hidden>›</span>
      <input
        ref={input}
        value={text}
        aria-label={t('terminal.line')}
        placeholder={isOpen ? t('terminal.linePlaceholder') : t('terminal.lineClosed')}
        autoComplete="off"
        autoCapitalize="off"
        autoCorrect="off"
        spellCheck={false}
        enterKeyHint="send"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={browse}
        onPaste={onPaste}
      />
    </form>
  )
}
