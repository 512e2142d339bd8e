import { ownOperations } from '@capstan/contract/operations'
import { FileArchive, FolderArchive } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { downloadFile } from '../../components/ui/download-link.tsx'
import { Menu, MenuItem } from '../../components/ui/dropdown-menu.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { toast } from '../../components/ui/toast.ts'
import { downloadPosted } from '../../lib/download.ts'
import { addressOf } from '../../lib/http.ts'

interface ExportMenuProps {
  readonly trigger: ReactNode
  readonly gameId: number
}

/** The challenges of a game as files, or the whole game as a package. */
export function ExportMenu({ trigger, gameId }: ExportMenuProps) {
  const { t } = useTranslation('admin-import')
  const params = { id: gameId }
  return (
    <Menu trigger={trigger}>
      <MenuItem
        icon={<FolderArchive aria-hidden />}
        onSelect={() => void downloadFile(addressOf(ownOperations.exportChallenges, { params }))}
      >
        {t('export.files')}
      </MenuItem>
      <MenuItem
        icon={<FileArchive aria-hidden />}
        onSelect={() =>
          void downloadPosted(addressOf(ownOperations.exportGame, { params })).catch((error: unknown) =>
            toast({ tone: 'bad', title: <ErrorText error={error} /> }),
          )
        }
      >
        {t('export.package')}
      </MenuItem>
    </Menu>
  )
}
