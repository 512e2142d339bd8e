import type { InstanceAccess } from '@capstan/contract/reach'
import { ExternalLink, QrCode as QrIcon, SquareTerminal } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { loadApplicationFile } from '../../lib/load-file.ts'
import { Button, ButtonAnchor } from '../ui/button.tsx'
import { type Connection, listTerminalCommands } from './connection.ts'
import { CopyableCode } from './copyable.tsx'
import styles from './instances.module.css'
import { ProxyClientNote } from './proxy-client-note.tsx'
import {
  type FurtherAccess,
  findBrowserAddress,
  firstCopyableLineOf,
  isReachableByPhones,
  keyOfConnection,
  listBestConnectionPerPort,
  listConnectionCommands,
  nameOfConnection,
} from './ways.ts'

const QrCode = lazy(() => loadApplicationFile(() => import('./qr-code.tsx')).then((file) => ({ default: file.QrCode })))

type InstanceWaysProps = Readonly<{
  ways: readonly InstanceAccess[]
  /** Connection through the WebSocket tunnel. The list `ways` contains this connection too. */
  connection: Connection
  /** True if the challenge is probably a web site. */
  isWeb: boolean
  onTerminal: () => void
}>

/** Shows the connections through the gateway: the best connection in full, and all other connections collapsed. */
export function InstanceConnectionsPanel({ ways, connection, isWeb, onTerminal }: InstanceWaysProps) {
  const { t } = useTranslation('instances')
  const [showsQr, setShowsQr] = useState(false)
  const site = findBrowserAddress(ways, isWeb)
  const [best] = ways
  const first = best && firstCopyableLineOf(best)
  const further = listBestConnectionPerPort(ways)
  const shown = [first, ...further.map(firstCopyableLineOf)]
  return (
    <div className="stack gap-2">
      {best?.label !== undefined && <h4 className="muted small">{best.label}</h4>}
      {first !== undefined && <CopyableCode text={first} label={t(best?.way === 'http' ? 'copyAddress' : 'copyCommand')} />}
      <div className="row gap-2">
        {site !== undefined && (
          <ButtonAnchor size="small" variant="primary" href={site} target="_blank" rel="noopener noreferrer">
            <ExternalLink aria-hidden />
            {t('open')}
          </ButtonAnchor>
        )}
        {best?.way !== 'http' && <Terminal isMain={site === undefined} onTerminal={onTerminal} />}
        {site !== undefined && isReachableByPhones(site) && (
          <Button size="small" aria-expanded={showsQr} onClick={() => setShowsQr(!showsQr)}>
            <QrIcon aria-hidden />
            {t('qr.title')}
          </Button>
        )}
      </div>
      {showsQr && site !== undefined && (
        <Suspense fallback={<div className={styles.qrComing} />}>
          <QrCode text={site} />
        </Suspense>
      )}
      {further.map((access) => (
        <FurtherPort key={keyOfConnection(access)} access={access} />
      ))}
      <details className="fold-text small">
        <summary>{t('otherWays')}</summary>
        <div className="stack above-2">
          {ways.map((access) => (
            <Way key={keyOfConnection(access)} access={access} shown={shown} connection={connection}>
              {access.way === 'websocket' && best?.way === 'http' && (
                <div className="row">
                  <Terminal onTerminal={onTerminal} />
                </div>
              )}
            </Way>
          ))}
        </div>
      </details>
    </div>
  )
}

/** Shows the best connection to a port other than the main one. */
function FurtherPort({ access }: { readonly access: FurtherAccess }) {
  const { t } = useTranslation('instances')
  const isWeb = access.way === 'http'
  const line = firstCopyableLineOf(access) ?? ''
  const name = access.label ?? t('port', { port: access.port })
  return (
    <section aria-label={name} className="stack gap-2">
      <h4 className="muted small">{name}</h4>
      <CopyableCode text={line} label={t(isWeb ? 'copyAddress' : 'copyCommand')} />
      {isWeb && (
        <div className="row">
          <ButtonAnchor size="small" href={line} target="_blank" rel="noopener noreferrer">
            <ExternalLink aria-hidden />
            {t('open')}
          </ButtonAnchor>
        </div>
      )}
    </section>
  )
}

function Terminal({ isMain, onTerminal }: Pick<InstanceWaysProps, 'onTerminal'> & { readonly isMain?: boolean }) {
  const { t } = useTranslation('instances')
  return (
    <Button size="small" variant={isMain ? 'primary' : 'secondary'} onClick={onTerminal}>
      <SquareTerminal aria-hidden />
      {t('terminal.open')}
    </Button>
  )
}

type WayProps = Readonly<{
  access: InstanceAccess
  /** Commands and addresses that the top of the panel already shows, so the list omits them. */
  shown: readonly (string | undefined)[]
  connection: Connection
  children: ReactNode
}>

function Way({ access, shown, connection, children }: WayProps) {
  const { t } = useTranslation('instances')
  const { way, address } = access
  return (
    <section aria-label={nameOfConnection(access)} className="stack gap-2">
      <h4 className="muted small">{nameOfConnection(access)}</h4>
      {children}
      {way === 'websocket' && <ProxyClientNote />}
      <ol className="stack gap-2">
        {way !== 'websocket' && !shown.includes(address) && (
          <li>
            <CopyableCode text={address} label={t('copyAddress')} />
          </li>
        )}
        {way === 'websocket'
          ? listTerminalCommands(connection).map(({ id, text }) => (
              <li key={id}>
                <span className="muted">{t(`command.${id}`)}</span>
                <CopyableCode text={text} label={t('copyCommand')} />
              </li>
            ))
          : listConnectionCommands(access)
              .filter((line) => !shown.includes(line))
              .map((line) => (
                <li key={line}>
                  <CopyableCode text={line} label={t('copyCommand')} />
                </li>
              ))}
      </ol>
    </section>
  )
}
