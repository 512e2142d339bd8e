import { Archive, FileUp, PackageOpen } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { MenuItem, PopupMenu } from '../../components/ui/dropdown-menu.tsx'

type ImportMenuProps = Readonly<{
  onPackage: () => void
  onCtfd: () => void
}>

/** Menu with the kinds of files that become a new game. */
export function ImportMenu({ onPackage, onCtfd }: ImportMenuProps) {
  const { t } = useTranslation('admin-games')
  return (
    <PopupMenu
      trigger={
        <Button>
          <FileUp aria-hidden />
          {t('import.open')}
        </Button>
      }
    >
      <MenuItem icon={<PackageOpen aria-hidden />} onSelect={onPackage}>
        {t('importPackage.title')}
      </MenuItem>
      <MenuItem icon={<Archive aria-hidden />} onSelect={onCtfd}>
        {t('import.title')}
      </MenuItem>
    </PopupMenu>
  )
}
