import { ChevronDown, ChevronUp, Download, Eraser, RotateCw, X } from 'lucide-react'
import { type KeyboardEvent, type PointerEvent, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Button, IconButton } from '../../ui/button.tsx'
import { cx } from '../../ui/cx.ts'
import { SegmentedControl } from '../../ui/tabs.tsx'
import styles from '../instances.module.css'
import type { Screen } from './screen.ts'
import {
  closeTerminal,
  downloadTerminalLog,
  getTerminalSession,
  usePublishDockHeight,
  useTerminalSessionState,
} from './sessions.ts'
import { TerminalPane } from './terminal-pane.tsx'
import type { SessionState } from './terminal-session.ts'
import { dockHeights, type TerminalTab, useTerminals } from './terminals.ts'

const barHeight = 44

/** Dock with terminals at the bottom of the window. Renders nothing if no terminal is open. */
export function TerminalDock() {
  const tabs = useTerminals((store) => store.tabs)
  const active = useTerminals((store) => store.active)
  const shown = tabs.find((tab) => tab.id === active)
  return shown ? <Dock tabs={tabs} shown={shown} /> : null
}

function Dock({ tabs, shown }: Readonly<{ tabs: readonly TerminalTab[]; shown: TerminalTab }>) {
  const { t } = useTranslation('instances')
  const isFolded = useTerminals((store) => store.isFolded)
  const height = useTerminals((store) => store.height)
  const screen = useRef<Screen>(null)
  const writing = useRef<() => void>(null)
  const session = getTerminalSession(shown)
  const state = useTerminalSessionState(session)
  usePublishDockHeight(isFolded ? barHeight : height)
  // Reconnecting removes or disables the clicked button. Focus the input, because otherwise the page would receive the next keys
  // that the user presses.
  const reconnect = () => {
    session.connect()
    writing.current?.()
  }
  return (
    <section aria-label={t('terminal.title')} className={styles.dock} data-dock data-folded={isFolded}>
      {!isFolded && <Handle height={height} />}
      <div className={cx('line gap-3', styles.dockBar)}>
        <div role="tablist" aria-label={t('terminal.tabs')} className={cx('scroll-line', styles.dockTabs)}>
          {tabs.map((tab) => (
            <Tab key={tab.id} tab={tab} isActive={tab === shown} />
          ))}
        </div>
        <Tools
          tab={shown}
          state={state}
          isFolded={isFolded}
          onReconnect={reconnect}
          onClear={() => {
            session.clear()
            screen.current?.clear()
          }}
          onSave={() => downloadTerminalLog(session, shown.title)}
        />
      </div>
      {!isFolded && (
        <div role="tabpanel" aria-label={shown.title} className={styles.dockBody}>
          {state.kind === 'closed' && (
            <div className={cx('row small', styles.closed)} role="status">
              <span className="grow">{t(`terminal.closed.${state.reason}`)}</span>
              {state.reason !== 'gone' && (
                <Button size="small" onClick={reconnect}>
                  <RotateCw aria-hidden />
                  {t('terminal.reconnect')}
                </Button>
              )}
            </div>
          )}
          <TerminalPane
            key={shown.id}
            session={session}
            isOpen={state.kind === 'open'}
            isRaw={shown.isRaw}
            screen={screen}
            writing={writing}
          />
        </div>
      )}
    </section>
  )
}

const tones = { connecting: 'warn', open: 'ok', closed: 'off' } as const

function Tab({ tab, isActive }: Readonly<{ tab: TerminalTab; isActive: boolean }>) {
  const { t } = useTranslation('instances')
  const activate = useTerminals((store) => store.activate)
  const tabs = useTerminals((store) => store.tabs)
  const state = useTerminalSessionState(getTerminalSession(tab))
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (isActive) button.current?.scrollIntoView?.({ block: 'nearest', inline: 'nearest' })
  }, [isActive])
  const move = (event: KeyboardEvent<HTMLButtonElement>) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    event.stopPropagation()
    const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length]
    if (next) activate(next.id)
    const list = event.currentTarget.parentElement
    requestAnimationFrame(() => list?.querySelector<HTMLElement>('[aria-selected=true]')?.focus())
  }
  return (
    <button
      ref={button}
      type="button"
      role="tab"
      aria-selected={isActive}
      tabIndex={isActive ? 0 : -1}
      className={cx('line muted small medium', styles.dockTab)}
      onClick={() => activate(tab.id)}
      onKeyDown={move}
    >
      <span className="dot" data-tone={tones[state.kind]} />
      <bdi className="truncate">{tab.title}</bdi>
      <span className="visually-hidden">{t(`terminal.state.${state.kind}`)}</span>
    </button>
  )
}

type ToolsProps = Readonly<{
  tab: TerminalTab
  state: SessionState
  isFolded: boolean
  onReconnect: () => void
  onClear: () => void
  onSave: () => void
}>

function Tools({ tab, state, isFolded, onReconnect, onClear, onSave }: ToolsProps) {
  const { t } = useTranslation('instances')
  const { fold, setRaw } = useTerminals.getState()
  return (
    <div className={cx('line gap-0', styles.dockTools)}>
      {!isFolded && (
        <>
          <SegmentedControl
            label={t('terminal.mode')}
            value={tab.isRaw ? 'keys' : 'lines'}
            onValueChange={(mode) => setRaw(tab.id, mode === 'keys')}
            options={[
              { value: 'lines', label: t('terminal.lines') },
              { value: 'keys', label: t('terminal.keys') },
            ]}
          />
          <span className={cx('line gap-0', styles.wideTools)}>
            <IconButton size="small" label={t('terminal.reconnect')} disabled={state.kind === 'connecting'} onClick={onReconnect}>
              <RotateCw />
            </IconButton>
            <IconButton size="small" label={t('terminal.clear')} onClick={onClear}>
              <Eraser />
            </IconButton>
          </span>
          <IconButton size="small" label={t('terminal.save')} onClick={onSave}>
            <Download />
          </IconButton>
        </>
      )}
      <IconButton
        size="small"
        label={isFolded ? t('terminal.unfold') : t('terminal.fold')}
        aria-expanded={!isFolded}
        onClick={() => fold(!isFolded)}
      >
        {isFolded ? <ChevronUp /> : <ChevronDown />}
      </IconButton>
      <IconButton size="small" label={t('terminal.close', { title: tab.title })} onClick={() => closeTerminal(tab.id)}>
        <X />
      </IconButton>
    </div>
  )
}

const keyStep = 40

/** Upper edge of the dock. Dragging or arrow keys move it. */
function Handle({ height }: { readonly height: number }) {
  const { t } = useTranslation('instances')
  const { resize } = useTerminals.getState()
  const max = Math.round(innerHeight * 0.8)
  const put = (next: number) => resize(Math.min(max, next))
  const drag = (event: PointerEvent) => {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) put(innerHeight - event.clientY)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: hr cannot be moved
    <div
      role="separator"
      tabIndex={0}
      aria-orientation="horizontal"
      aria-label={t('terminal.resize')}
      aria-valuenow={height}
      aria-valuemin={dockHeights.min}
      aria-valuemax={max}
      className={styles.handle}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onKeyDown={(event) => {
        const step = event.key === 'ArrowUp' ? keyStep : event.key === 'ArrowDown' ? -keyStep : 0
        if (step === 0) return
        event.preventDefault()
        put(height + step)
      }}
    />
  )
}
