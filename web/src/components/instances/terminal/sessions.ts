import { operations } from '@capstan/contract/operations'
import { useLayoutEffect, useSyncExternalStore } from 'react'
import { onLogOut } from '../../../lib/forget.ts'
import { addressOfCall } from '../../../lib/http.ts'
import { type SessionState, TerminalSession } from './terminal-session.ts'
import { type TerminalTab, useTerminals } from './terminals.ts'

type Reached = Pick<TerminalTab, 'id' | 'isTest'>

function pathOf({ id, isTest }: Reached) {
  return addressOfCall(isTest ? operations.proxyTestContainer : operations.proxyInstance, { params: { id } })
}

const sessions = new Map<string, TerminalSession>()

/** Returns the terminal session of a tab. The first call creates the session. */
export function getTerminalSession(tab: Reached): TerminalSession {
  const { id } = tab
  const known = sessions.get(id)
  if (known) return known
  const session = new TerminalSession(id, {
    connect: () => new WebSocket(`${location.origin.replace(/^http/, 'ws')}${pathOf(tab)}`),
    probe: async () => (await fetch(pathOf(tab), { credentials: 'same-origin' })).status,
  })
  sessions.set(id, session)
  return session
}

export function closeTerminal(id: string): void {
  sessions.get(id)?.dispose()
  sessions.delete(id)
  useTerminals.getState().close(id)
}

onLogOut(() => {
  for (const { id } of useTerminals.getState().tabs) closeTerminal(id)
})

export function useTerminalSessionState(session: TerminalSession): SessionState {
  return useSyncExternalStore(
    (watcher) => session.watch(watcher),
    () => session.state,
  )
}

export function downloadTerminalLog(session: TerminalSession, title: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([session.log()], { type: 'text/plain' }))
  link.download = `${title.replaceAll(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '') || 'terminal'}.log`
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** Publishes the height of the dock as `--dock`, so that other elements stay above it. */
export function usePublishDockHeight(height: number): void {
  useLayoutEffect(() => {
    document.documentElement.style.setProperty('--dock', `${height}px`)
    return () => void document.documentElement.style.removeProperty('--dock')
  }, [height])
}
