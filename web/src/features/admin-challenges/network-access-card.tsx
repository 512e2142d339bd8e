import { ContainerLimits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import {
  browserUrlOf,
  type ChallengeReach,
  canInstanceBeGuarded,
  type InstanceAccess,
  type ReachOffer,
} from '@capstan/contract/reach'
import { useTranslation } from 'react-i18next'
import { keyOfConnection, nameOfConnection } from '../../components/instances/ways.ts'
import { Alert, Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Field, Switch } from '../../components/ui/field.tsx'
import { Input, Select } from '../../components/ui/input.tsx'
import { Skeleton } from '../../components/ui/skeleton.tsx'
import { ErrorState } from '../../components/ui/states.tsx'
import { useCall } from '../../lib/server-state.ts'
import type { ContainerProps } from './container-card.tsx'
import { toPublishedPorts } from './container-form.ts'
import { PortsEditor } from './container-rows.tsx'
import { removeForbiddenOptions, type TypedContainer } from './containers-form.ts'
import styles from './network-access-card.module.css'
import { previewConnections } from './reach-preview.ts'
import { useContainerFault } from './use-container-fault.ts'

const speeches = ['tcp', 'http'] as const

/** Common ports of HTTP servers. */
const webPorts: ReadonlySet<number> = new Set([80, 443, 3000, 5000, 8000, 8080, 8443])

type NetworkAccessCardProps = ContainerProps &
  Readonly<{
    containers: readonly TypedContainer[]
  }>

/**
 * Card that edits the ports of a container, and shows how players can connect to the challenge. For the first container, it also
 * edits the protocol.
 */
export function NetworkAccessCard({ container, isEntry, containers, faults, set }: NetworkAccessCardProps) {
  const { t } = useTranslation('admin-challenges')
  const { t: tContainer } = useTranslation('admin-container')
  const offer = useCall(ownOperations.getReachOffer, undefined, { refreshInterval: 0 })
  const faultOf = useContainerFault(faults)
  const { reach, port } = container
  const change = (wanted: ChallengeReach) => set({ reach: removeForbiddenOptions(wanted) })
  return (
    <Card title={t('card.reach')}>
      <div className="stack">
        {isEntry && <p className="small muted">{t('reach.text')}</p>}
        {isEntry && reach.speaks === 'tcp' && webPorts.has(Number(port)) && (
          <Alert
            tone="info"
            title={t('reach.webPort', { port })}
            actions={
              <Button size="small" onClick={() => change({ ...reach, speaks: 'http' })}>
                {t('reach.useHttp')}
              </Button>
            }
          >
            {t('reach.webPortText')}
          </Alert>
        )}
        {isEntry && <Settings reach={reach} onChange={change} />}
        {faults.reach && <Alert tone="bad">{faultOf('reach')}</Alert>}
        {isEntry && (
          <Field label={tContainer('field.entryLabel')} hint={tContainer('hint.entryLabel')} error={faultOf('entryLabel')}>
            {(control) => (
              <Input
                {...control}
                maxLength={ContainerLimits.maxPortLabelLength}
                value={container.entryLabel}
                onChange={(event) => set({ entryLabel: event.target.value })}
              />
            )}
          </Field>
        )}
        <PortsEditor rows={container.ports} fault={faults.ports} error={faultOf('ports')} onChange={(ports) => set({ ports })} />
        {offer.data ? (
          <Preview containers={containers} offer={offer.data} />
        ) : offer.error ? (
          <ErrorState error={offer.error} onRetry={() => void offer.mutate()} />
        ) : (
          <Skeleton height="60px" />
        )}
      </div>
    </Card>
  )
}

type SettingsProps = Readonly<{
  reach: ChallengeReach
  onChange: (wanted: ChallengeReach) => void
}>

function Settings({ reach, onChange }: SettingsProps) {
  const { t } = useTranslation('admin-challenges')
  const switchOf = (name: 'isRaw' | 'hasOwnCertificate' | 'isGuarded') => (
    <Switch
      label={t(`reach.${name}`)}
      hint={t(`reach.${name}Hint`)}
      checked={reach[name] === true}
      onCheckedChange={(checked) => onChange({ ...reach, [name]: checked })}
    />
  )
  return (
    <>
      <Field label={t('reach.speaks')}>
        {(control) => (
          <Select
            {...control}
            value={reach.speaks}
            onValueChange={(speaks) => onChange({ ...reach, speaks })}
            options={speeches.map((value) => ({ value, label: t(`reach.speech.${value}`) }))}
          />
        )}
      </Field>
      {reach.speaks === 'http' && switchOf('isRaw')}
      {switchOf('hasOwnCertificate')}
      {(reach.isGuarded || canInstanceBeGuarded(reach)) && switchOf('isGuarded')}
    </>
  )
}

type PreviewProps = Readonly<{
  containers: readonly TypedContainer[]
  offer: ReachOffer
}>

function Preview({ containers, offer }: PreviewProps) {
  const { t } = useTranslation('admin-challenges')
  const [entry] = containers
  if (!entry) return null
  const offered = containers.flatMap(toPublishedPorts).filter(({ port }) => Number.isInteger(port))
  const { ways, lack } = previewConnections(entry.reach, offer, offered, entry.plainPort)
  return (
    <>
      {lack && <Alert tone="warn">{t(`reach.lack.${lack}`)}</Alert>}
      {ways.length > 0 && (
        <section className={cx('stack gap-2 well', styles.preview)} aria-label={t('reach.preview')}>
          <h3 className="muted tiny medium">{t('reach.preview')}</h3>
          <ol className="aligned">
            {ways.map((access, index) => (
              <li key={keyOfConnection(access)}>
                <Badge tone={index === 0 ? 'brand' : 'neutral'}>{nameOfConnection(access)}</Badge>
                <code className="wrap-anywhere">{shownAs(access)}</code>
              </li>
            ))}
          </ol>
        </section>
      )}
    </>
  )
}

/** Returns the address that the preview shows for a connection. */
function shownAs(access: InstanceAccess): string {
  return access.way === 'websocket' ? `${location.origin.replace(/^http/, 'ws')}${access.address}` : browserUrlOf(access)
}
