import type { SignInProvider } from '@capstan/contract/sign-in'
import { FlaskConical, Pencil, PlugZap, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Badge } from '../../components/ui/badge.tsx'
import { IconButton } from '../../components/ui/button.tsx'
import type { Column } from '../../components/ui/data-table.tsx'
import { formatNumber } from '../../lib/format.ts'
import { kindNames } from './provider-draft.ts'

export type ProviderTask = 'edit' | 'check' | 'try' | 'remove'

const icons = { check: PlugZap, try: FlaskConical, edit: Pencil, remove: Trash2 } as const

export const providerTable = { keyOf: ({ id }: SignInProvider) => id }

export function useProviderColumns(
  onTask: (task: ProviderTask, provider: SignInProvider) => void,
): readonly Column<SignInProvider>[] {
  const { t } = useTranslation('admin-sign-in')
  return [
    {
      head: t('column.name'),
      kind: 'name',
      bare: true,
      cell: ({ name }) => <bdi className="wrap-anywhere">{name}</bdi>,
      loadingWidth: '70%',
    },
    { head: t('column.kind'), cell: ({ kind }) => kindNames[kind], loadingWidth: '80px' },
    {
      head: t('column.state'),
      cell: ({ isEnabled }) => <Badge tone={isEnabled ? 'ok' : 'neutral'}>{t(isEnabled ? 'on' : 'off')}</Badge>,
      loadingWidth: '56px',
    },
    { head: t('column.users'), cell: ({ users }) => formatNumber(users), loadingWidth: '40px' },
    {
      head: t('column.actions'),
      kind: 'actions',
      cell: (provider) =>
        (['check', 'try', 'edit', 'remove'] as const).map((task) => {
          const Icon = icons[task]
          return (
            <IconButton
              key={task}
              size="small"
              label={t(`task.${task}`, { name: provider.name })}
              onClick={() => onTask(task, provider)}
            >
              <Icon />
            </IconButton>
          )
        }),
      loadingWidth: '112px',
    },
  ]
}
