import type { InstanceAccess } from '@capstan/contract/reach'
import { ExternalLink, SquareTerminal } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Button, ButtonAnchor } from '../ui/button.tsx'
import { type Connection, getBrowserAddress, listTerminalCommands, localPort } from './connection.ts'
import { CopyableCode } from './copyable.tsx'
import { InstanceConnectionsPanel } from './instance-ways.tsx'
import { ProxyClientNote } from './proxy-client-note.tsx'

type ConnectionInfoProps = Readonly<{
  /** Address of the instance. Undefined while it is unknown. */
  connection: Connection | undefined
  /** Connections through the gateway in addition to the WebSocket tunnel. Undefined while they load. */
  ways: readonly InstanceAccess[] | undefined
  /** True if the challenge is probably a web site. The link that opens the web site is then shown first. */
  speaksHttp: boolean
  onTerminal: () => void
}>

/** Shows how to connect to an instance: the address, a link for the browser, a terminal in the page, and commands. */
export function ConnectionInfo({ connection, ways, speaksHttp, onTerminal }: ConnectionInfoProps) {
  const { t } = useTranslation('instances')
  if (!connection || !ways) return <p className="muted small">{t('addressComing')}</p>
  if (ways.length > 0)
    return <InstanceConnectionsPanel ways={ways} connection={connection} isWeb={speaksHttp} onTerminal={onTerminal} />
  const address = connection.kind === 'proxy' ? connection.webSocket : connection.address
  const browser = (
    <ButtonAnchor
      size="small"
      variant={speaksHttp && connection.kind === 'direct' ? 'primary' : 'secondary'}
      href={getBrowserAddress(connection)}
      target="_blank"
      rel="noopener noreferrer"
    >
      <ExternalLink aria-hidden />
      {connection.kind === 'direct' ? t('open') : t('openLocal', { port: localPort })}
    </ButtonAnchor>
  )
  return (
    <div className="stack gap-2">
      <CopyableCode text={address} label={t('copyAddress')} />
      {connection.kind === 'direct' ? (
        <>
          <div className="row gap-2">{browser}</div>
          <Commands connection={connection} />
        </>
      ) : (
        <>
          <div className="row gap-2">
            <Button size="small" variant={speaksHttp ? 'secondary' : 'primary'} onClick={onTerminal}>
              <SquareTerminal aria-hidden />
              {t('terminal.open')}
            </Button>
          </div>
          <Commands connection={connection}>{browser}</Commands>
        </>
      )}
    </div>
  )
}

function Commands({ connection, children }: Readonly<{ connection: Connection; children?: ReactNode }>) {
  const { t } = useTranslation('instances')
  return (
    <details className="fold-text small" open={connection.kind === 'direct'}>
      <summary>{t('commands')}</summary>
      {connection.kind === 'proxy' && <ProxyClientNote />}
      <ol className="stack gap-2">
        {listTerminalCommands(connection).map((command) => (
          <li key={command.id}>
            <span className="muted">{t(connection.kind === 'direct' ? 'command.direct' : `command.${command.id}`)}</span>
            <CopyableCode text={command.text} label={t('copyCommand')} />
          </li>
        ))}
        {children && (
          <li>
            <span className="muted">{t('command.browser')}</span>
            <div>{children}</div>
          </li>
        )}
      </ol>
    </details>
  )
}
