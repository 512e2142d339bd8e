import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Avatar } from '../../components/ui/avatar.tsx'
import styles from './profile.module.css'

type Person = Readonly<{
  id: string | number
  name: string
  avatar: string | null
  to: string | undefined
  note?: ReactNode
}>

type PeopleProps = Readonly<{
  id: string
  title: string
  team?: boolean
  people: readonly Person[]
  /** Text that replaces an empty list. */
  none?: string
}>

export function PeopleList({ id, title, team, people, none }: PeopleProps) {
  return (
    <section className={styles.section} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <div className="frame padded">
        {people.length === 0 && <p className="muted">{none}</p>}
        <ul className={styles.people}>
          {people.map((person) => (
            <li key={person.id}>
              <Avatar name={person.name} src={person.avatar} size={28} {...(team && { team })} />
              {person.to === undefined ? (
                <bdi className="truncate">{person.name}</bdi>
              ) : (
                <Link to={person.to} className="truncate">
                  <bdi>{person.name}</bdi>
                </Link>
              )}
              {person.note}
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}
