import { operations, ownOperations } from '@capstan/contract/operations'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { PageLayout } from '../../components/layout/page.tsx'
import { ErrorState } from '../../components/ui/states.tsx'
import { TableSkeleton } from '../../components/ui/table-skeleton.tsx'
import { getInstanceGuid } from '../../features/admin-instances/instance-list.ts'
import { InstancesScreen } from '../../features/admin-instances/instances-screen.tsx'
import { useConfig } from '../../lib/config.ts'
import { useHub } from '../../lib/live.ts'
import { useCall } from '../../lib/server-state.ts'
import { sharedRead, useSharedRows } from '../../lib/shared-rows.ts'
import { useDelayedRead } from '../../lib/use-delayed-read.ts'

/**
 * Delay in ms between a log entry about a container and the read of the list of instances. One read serves all log entries during
 * this time, because the list is long.
 */
const waitMs = 2_000
const maxReadSoon = 1_000

function idOf({ id }: { readonly id: string }) {
  return id
}

export function Route() {
  const { t } = useTranslation('admin-instances')
  const { renewalWindow } = useConfig()
  const [isReading, setIsReading] = useState(false)
  const { data, error, mutate } = useCall(operations.listInstances, {}, sharedRead)
  const { data: states, mutate: readStates } = useCall(ownOperations.listInstanceStates, {}, sharedRead)
  // Read the usage after the list, so that the list does not wait for it.
  const { data: usages } = useCall(ownOperations.listInstanceUsage, data ? {} : null, sharedRead)
  const instances = useSharedRows(data?.data, getInstanceGuid)
  const knownStates = useSharedRows(states, idOf)
  const knownUsages = useSharedRows(usages, idOf)
  const readSoon = useDelayedRead(() => Promise.all([mutate(), readStates()]), waitMs)
  const connection = useHub('admin', undefined, {
    log: ({ msg }) => /container/i.test(msg ?? '') && (data?.total ?? 0) < maxReadSoon && readSoon(),
    reconnected: () => void mutate(),
  })
  const read = async () => {
    setIsReading(true)
    await Promise.all([mutate(), readStates()]).finally(() => setIsReading(false))
  }
  return (
    <PageLayout title={t('title')} hideTitle>
      {!instances && !error && <TableSkeleton columns={['18px', '70%', '60%', '56px', '56px', '80%', '24px']} />}
      {!instances && error && <ErrorState error={error} onRetry={() => mutate()} />}
      {instances && (
        <InstancesScreen
          instances={instances}
          states={knownStates}
          usages={knownUsages}
          connection={connection}
          endingMinutes={renewalWindow}
          isReading={isReading}
          onRefresh={() => void read().catch(() => undefined)}
        />
      )}
    </PageLayout>
  )
}
