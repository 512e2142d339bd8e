import type { ApiToken } from '@capstan/contract/tokens'
import { Ban, Trash2, Undo2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Badge, type BadgeTone } from '../../components/ui/badge.tsx'
import { IconButton } from '../../components/ui/button.tsx'
import type { Column } from '../../components/ui/data-table.tsx'
import { RelativeTime, useNow } from '../../components/ui/time.tsx'
import { stateOfToken } from './token-changes.ts'
import styles from './tokens.module.css'

export type TokenTask = 'revoke' | 'restore' | 'remove'

const tones: Readonly<Record<ReturnType<typeof stateOfToken>, BadgeTone>> = { valid: 'ok', revoked: 'bad', expired: 'warn' }

export const tokenTable = { keyOf: ({ id }: ApiToken) => id, className: styles.tokens }

export function useTokenColumns(onTask: (task: TokenTask, token: ApiToken) => void): readonly Column<ApiToken>[] {
  const { t } = useTranslation('admin-tokens')
  const now = useNow(10_000)
  return [
    {
      head: t('column.name'),
      kind: 'name',
      bare: true,
      cell: ({ name, creator }) => (
        <span className="stack gap-0 tight">
          <bdi className="wrap-anywhere">{name}</bdi>
          {creator !== null && <span className="muted tiny wrap-anywhere regular">{t('by', { name: creator })}</span>}
        </span>
      ),
      loadingWidth: '70%',
    },
    {
      head: t('column.access'),
      cell: ({ scope, gameTitle }) => (
        <span className="stack gap-0 tight">
          <span>{t(`scope.${scope}`)}</span>
          <span className="muted tiny wrap-anywhere regular">{gameTitle ?? t('allGames')}</span>
        </span>
      ),
      loadingWidth: '60%',
    },
    {
      head: t('column.state'),
      cell: (token) => {
        const state = stateOfToken(token, now)
        return <Badge tone={tones[state]}>{t(`state.${state}`)}</Badge>
      },
      loadingWidth: '56px',
    },
    { head: t('column.created'), cell: ({ createdAt }) => <RelativeTime at={createdAt} />, loadingWidth: '80px' },
    {
      head: t('column.ends'),
      cell: ({ expiresAt }) =>
        expiresAt === null ? <span className="muted">{t('never')}</span> : <RelativeTime at={expiresAt} />,
      loadingWidth: '80px',
    },
    {
      head: t('column.used'),
      cell: ({ lastUsedAt }) =>
        lastUsedAt === null ? <span className="muted">{t('unused')}</span> : <RelativeTime at={lastUsedAt} />,
      loadingWidth: '80px',
    },
    {
      head: t('column.actions'),
      kind: 'actions',
      cell: (token) => (
        <>
          {token.isRevoked ? (
            <IconButton size="small" label={t('restore', { name: token.name })} onClick={() => onTask('restore', token)}>
              <Undo2 />
            </IconButton>
          ) : (
            <IconButton size="small" label={t('revoke', { name: token.name })} onClick={() => onTask('revoke', token)}>
              <Ban />
            </IconButton>
          )}
          <IconButton size="small" label={t('remove', { name: token.name })} onClick={() => onTask('remove', token)}>
            <Trash2 />
          </IconButton>
        </>
      ),
      loadingWidth: '56px',
    },
  ]
}
