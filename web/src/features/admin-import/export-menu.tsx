import { ownOperations } from '@capstan/contract/operations'
import { FileArchive, FolderArchive, PackageOpen, Upload } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { Button } from '../../components/ui/button.tsx'
import { downloadFile } from '../../components/ui/download-link.tsx'
import { MenuItem, PopupMenu } from '../../components/ui/dropdown-menu.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { downloadPostResponse } from '../../lib/download.ts'
import { addressOfCall } from '../../lib/http.ts'

type ExportMenuProps = Readonly<{
  gameId: number
  importPath: string
}>

export function ExportMenu({ gameId, importPath }: ExportMenuProps) {
  const { t } = useTranslation('admin-import')
  const navigate = useNavigate()
  const params = { id: gameId }
  return (
    <PopupMenu
      trigger={
        <Button>
          <PackageOpen aria-hidden />
          {t('exchange')}
        </Button>
      }
    >
      <MenuItem icon={<Upload aria-hidden />} onSelect={() => void navigate(importPath)}>
        {t('title')}
      </MenuItem>
      <MenuItem
        icon={<FolderArchive aria-hidden />}
        onSelect={() => void downloadFile(addressOfCall(ownOperations.exportChallenges, { params }))}
      >
        {t('export.files')}
      </MenuItem>
      <MenuItem
        icon={<FileArchive aria-hidden />}
        onSelect={() =>
          void downloadPostResponse(addressOfCall(ownOperations.exportGame, { params })).catch((error: unknown) =>
            showToast({ tone: 'bad', title: <ErrorText error={error} /> }),
          )
        }
      >
        {t('export.package')}
      </MenuItem>
    </PopupMenu>
  )
}
