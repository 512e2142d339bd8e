import type { Webhook } from '@capstan/contract/webhooks'
import { KeyRound, List, Pencil, Send, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Badge } from '../../components/ui/badge.tsx'
import { IconButton } from '../../components/ui/button.tsx'
import type { Column } from '../../components/ui/data-table.tsx'
import { formatNumber } from '../../lib/format.ts'

export type WebhookTask = 'edit' | 'log' | 'test' | 'renew' | 'remove'

const icons = { edit: Pencil, log: List, test: Send, renew: KeyRound, remove: Trash2 } as const
const tasks = ['edit', 'log', 'test', 'renew', 'remove'] as const

export function useWebhookColumns(onTask: (task: WebhookTask, webhook: Webhook) => void): readonly Column<Webhook>[] {
  const { t } = useTranslation('admin-webhooks')
  return [
    {
      head: t('name'),
      kind: 'name',
      bare: true,
      cell: ({ name, host, service }) => (
        <span className="stack gap-0">
          <bdi className="wrap-anywhere">{name}</bdi>
          <span className="muted tiny wrap-anywhere regular">{`${service === 'Json' ? t('otherService') : service} · ${host}`}</span>
        </span>
      ),
      loadingWidth: '70%',
    },
    {
      head: t('game'),
      cell: ({ gameTitle }) => <span className="wrap-anywhere">{gameTitle ?? t('allGames')}</span>,
      loadingWidth: '60%',
    },
    {
      head: t('column.state'),
      cell: ({ isEnabled, lastError, disabledReason }) => (
        <span className="stack gap-0">
          <span>
            {isEnabled ? (
              <Badge tone={lastError === null ? 'ok' : 'warn'}>{t(lastError === null ? 'on' : 'failing')}</Badge>
            ) : (
              <Badge tone={disabledReason === null ? 'neutral' : 'bad'}>{t('off')}</Badge>
            )}
          </span>
          {(disabledReason ?? lastError) !== null && (
            <span className="muted tiny wrap-anywhere regular">{disabledReason ?? lastError}</span>
          )}
        </span>
      ),
      loadingWidth: '56px',
    },
    { head: t('column.pending'), cell: ({ pending }) => formatNumber(pending), loadingWidth: '40px' },
    {
      head: t('column.actions'),
      kind: 'actions',
      cell: (webhook) => (
        <>
          {tasks.map((task) => {
            const Icon = icons[task]
            return (
              <IconButton
                key={task}
                size="small"
                label={t(`task.${task}`, { name: webhook.name })}
                onClick={() => onTask(task, webhook)}
              >
                <Icon />
              </IconButton>
            )
          })}
        </>
      ),
      loadingWidth: '120px',
    },
  ]
}
