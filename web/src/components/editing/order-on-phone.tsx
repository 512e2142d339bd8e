import { ArrowDown, ArrowUp } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '../ui/button.tsx'
import type { Order } from '../ui/data-table.tsx'
import { Select } from '../ui/input.tsx'
import { OnPhone } from '../ui/toolbar.tsx'

type OrderOnPhoneProps = Readonly<{
  order: Order
  /** What a list can be ordered by, with its name. */
  options: readonly (readonly [by: string, label: string])[]
}>

/** The order of a list whose heads are not there on a phone. */
export function OrderOnPhone({ order, options }: OrderOnPhoneProps) {
  const { t } = useTranslation('editing')
  return (
    <OnPhone>
      <Select
        aria-label={t('orderBy')}
        value={order.by}
        onValueChange={(by) => order.onOrder(by, order.descending)}
        options={options.map(([value, label]) => ({ value, label }))}
      />
      <IconButton
        label={order.descending ? t('descending') : t('ascending')}
        variant="secondary"
        onClick={() => order.onOrder(order.by, !order.descending)}
      >
        {order.descending ? <ArrowDown /> : <ArrowUp />}
      </IconButton>
    </OnPhone>
  )
}
