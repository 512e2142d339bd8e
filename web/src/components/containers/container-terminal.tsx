import { ownOperations } from '@capstan/contract/operations'
import { RotateCw, X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { addressOfCall, TransportError } from '../../lib/http.ts'
import { loadApplicationFile } from '../../lib/load-file.ts'
import { useColorScheme } from '../../stores/color-scheme.ts'
import type { Screen } from '../instances/terminal/screen.ts'
import { Alert } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { cx } from '../ui/cx.ts'
import { ErrorText } from '../ui/states.tsx'
import styles from './containers.module.css'
import { openShell, type ShellState } from './shell-session.ts'

/** Key that moves the focus out of the terminal. The terminal receives all other keys. */
const leaveKey = 'F6'

/** True if the element is inside a terminal, which handles the Escape key itself. */
export function isInTerminal(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[data-shell]') !== null
}

type ContainerTerminalProps = Readonly<{
  /** Id of the instance. */
  id: string
  /** Name of the container. */
  name: string
  onClose: () => void
}>

/** Shell in a container of a test instance. */
export function ContainerTerminal({ id, name, onClose }: ContainerTerminalProps) {
  const { t } = useTranslation('containers')
  const [attempt, setAttempt] = useState(0)
  const [state, setState] = useState<ShellState>({ kind: 'opening' })
  const [failure, setFailure] = useState<TransportError>()
  const place = useRef<HTMLDivElement>(null)
  const closing = useRef<HTMLButtonElement>(null)
  const screen = useRef<Screen>(null)
  const scheme = useColorScheme((store) => `${store.choice} ${store.system}`)

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt opens the terminal again
  useEffect(() => {
    const element = place.current
    if (!element) return
    setState({ kind: 'opening' })
    const path = addressOfCall(ownOperations.openTerminal, { params: { id, name } })
    const session = openShell(new WebSocket(`${location.origin.replace(/^http/, 'ws')}${path}`), setState)
    let isCurrent = true
    void loadApplicationFile(() => import('../instances/terminal/screen.ts')).then(
      ({ openTerminalScreen }) => {
        if (!isCurrent) return
        screen.current = openTerminalScreen(element, session, session.send, session.resize)
        screen.current.setRaw(true)
        screen.current.focus()
        // On a phone, the list of containers above the terminal fills most of the dialog, so scroll to the terminal.
        element.scrollIntoView({ block: 'nearest' })
      },
      () => isCurrent && setFailure(new TransportError('network', 'Network Error')),
    )
    return () => {
      isCurrent = false
      session.close()
      screen.current?.dispose()
      screen.current = null
    }
  }, [id, name, attempt])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the colors must be applied again when the scheme changes
  useEffect(() => {
    const frame = requestAnimationFrame(() => screen.current?.recolor())
    return () => cancelAnimationFrame(frame)
  }, [scheme])

  const leave = (event: KeyboardEvent) => {
    if (event.key !== leaveKey) return
    event.preventDefault()
    event.stopPropagation()
    closing.current?.focus()
  }
  return (
    <section className="stack gap-2" aria-label={t('terminal')}>
      <div className="row gap-2">
        <span className="grow small muted" role="status">
          {state.kind === 'closed' ? t(`terminalEnd.${state.reason}`) : t(`terminalState.${state.kind}`, { key: leaveKey })}
        </span>
        {state.kind === 'closed' && (
          <Button onClick={() => setAttempt(attempt + 1)}>
            <RotateCw aria-hidden />
            {t('reopenTerminal')}
          </Button>
        )}
        <Button ref={closing} onClick={onClose}>
          <X aria-hidden />
          {t('closeTerminal')}
        </Button>
      </div>
      {failure && (
        <Alert tone="bad">
          <ErrorText error={failure} />
        </Alert>
      )}
      <div className={cx('well', styles.shell)} data-shell onKeyDownCapture={leave}>
        <div ref={place} className="grow clip" />
      </div>
    </section>
  )
}
