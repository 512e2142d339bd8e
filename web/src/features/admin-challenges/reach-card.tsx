import type { ContainerDefinition } from '@capstan/contract/container-definition'
import { ownOperations } from '@capstan/contract/operations'
import { type ChallengeReach, canBeGuarded, type InstanceAccess, openingAddress, type ReachOffer } from '@capstan/contract/reach'
import { useTranslation } from 'react-i18next'
import { keyOf, nameOf } from '../../components/instances/ways.ts'
import { Alert, Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { Field, Switch } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { Select } from '../../components/ui/input.tsx'
import { Skeleton } from '../../components/ui/skeleton.tsx'
import { ErrorState, ErrorText } from '../../components/ui/states.tsx'
import { toast } from '../../components/ui/toast.ts'
import { call } from '../../lib/http.ts'
import { refresh, setCallData, useCall } from '../../lib/server-state.ts'
import styles from './reach-card.module.css'
import { previewOf } from './reach-preview.ts'

const speeches = ['tcp', 'http'] as const

/** Common ports of HTTP servers. */
const webPorts: ReadonlySet<number> = new Set([80, 443, 3000, 5000, 8000, 8080, 8443])

type ReachCardProps = Readonly<{
  gameId: number
  challengeId: number
  /** Port on which the program listens. */
  port: number
}>

/** Protocol of a challenge and the resulting connections for players. Each change is stored immediately. */
export function ReachCard({ gameId, challengeId, port }: ReachCardProps) {
  const { t } = useTranslation('admin-challenges')
  const params = { id: gameId, cid: challengeId }
  const reach = useCall(ownOperations.getChallengeReach, { params })
  const offer = useCall(ownOperations.getReachOffer, undefined, { refreshInterval: 0 })
  const container = useCall(ownOperations.getContainerDefinition, { params })
  const save = useAction(async (wanted: ChallengeReach) => {
    const body = { ...wanted, isRaw: wanted.speaks === 'http' && wanted.isRaw }
    const stored = await call(ownOperations.setChallengeReach, {
      params,
      body: { ...body, isGuarded: wanted.isGuarded === true && canBeGuarded(body) },
    })
    await setCallData([ownOperations.getChallengeReach, { params }], stored)
    await refresh(ownOperations.listTestInstanceWays, { params })
    toast({ tone: 'ok', title: t('reach.saved') })
  })
  const error = reach.error ?? offer.error
  return (
    <Card title={t('card.reach')}>
      {reach.data && offer.data ? (
        <div className="stack">
          <p className="small muted">{t('reach.text')}</p>
          {reach.data.speaks === 'tcp' && webPorts.has(port) && (
            <Alert
              tone="info"
              title={t('reach.webPort', { port: String(port) })}
              actions={
                <Button
                  size="small"
                  busy={save.busy}
                  onClick={() => reach.data && void save.run({ ...reach.data, speaks: 'http' })}
                >
                  {t('reach.useHttp')}
                </Button>
              }
            >
              {t('reach.webPortText')}
            </Alert>
          )}
          <Settings reach={reach.data} onChange={(wanted) => void save.run(wanted)} />
          {save.error !== undefined && (
            <Alert tone="bad">
              <ErrorText error={save.error} />
            </Alert>
          )}
          <Preview reach={reach.data} offer={offer.data} container={container.data?.definition} />
        </div>
      ) : error ? (
        <ErrorState
          error={error}
          onRetry={() => {
            void reach.mutate()
            void offer.mutate()
          }}
        />
      ) : (
        <Skeleton height="120px" />
      )}
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
      {canBeGuarded(reach) && switchOf('isGuarded')}
    </>
  )
}

type PreviewProps = Readonly<{
  reach: ChallengeReach
  offer: ReachOffer
  /** undefined while loading */
  container: ContainerDefinition | undefined
}>

function Preview({ reach, offer, container }: PreviewProps) {
  const { t } = useTranslation('admin-challenges')
  const { ways, lack } = previewOf(reach, offer, container?.offeredPorts, container?.plainPort)
  return (
    <>
      {lack && <Alert tone="warn">{t(`reach.lack.${lack}`)}</Alert>}
      {ways.length > 0 && (
        <section className={styles.preview} aria-label={t('reach.preview')}>
          <h3>{t('reach.preview')}</h3>
          <ol>
            {ways.map((access, index) => (
              <li key={keyOf(access)}>
                <Badge tone={index === 0 ? 'brand' : 'neutral'}>{nameOf(access)}</Badge>
                <code>{shownAs(access)}</code>
              </li>
            ))}
          </ol>
        </section>
      )}
    </>
  )
}

/** Returns the display text of a connection. The tunnel has none, because its path is never typed. */
function shownAs(access: InstanceAccess): string {
  return access.way === 'websocket' ? `${location.origin.replace(/^http/, 'ws')}${access.address}` : openingAddress(access)
}
