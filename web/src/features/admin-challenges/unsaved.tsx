import { createContext, type ReactNode, useContext, useEffect, useId, useRef, useState } from 'react'

type Report = (key: string, isUnsaved: boolean) => void

const UnsavedContext = createContext<Report>(() => undefined)

export function useReportUnsavedInput(isUnsaved: boolean): void {
  const report = useContext(UnsavedContext)
  const key = useId()
  useEffect(() => {
    report(key, isUnsaved)
    return () => report(key, false)
  }, [report, key, isUnsaved])
}

type UnsavedWithinProps = Readonly<{
  onChange: (hasUnsaved: boolean) => void
  children: ReactNode
}>

export function UnsavedInputWatcher({ onChange, children }: UnsavedWithinProps) {
  const latest = useRef(onChange)
  latest.current = onChange
  const [report] = useState((): Report => {
    const keys = new Set<string>()
    return (key, isUnsaved) => {
      const had = keys.size > 0
      if (isUnsaved) keys.add(key)
      else keys.delete(key)
      if (keys.size > 0 !== had) latest.current(!had)
    }
  })
  return <UnsavedContext value={report}>{children}</UnsavedContext>
}
