/** Words that the glossary in docs/translating.md replaces. They are in lower case, and also match inside longer words. */

/** Map from each refused word to the word that replaces it. */
type Replaced = Readonly<Record<string, string>>

/** Replacements of the word "container". Users have instances, and only authors of challenges and admins see containers. */
const container: Readonly<Record<string, Replaced>> = {
  'en-US': { container: 'instance' },
  'zh-CN': { 容器: '实例' },
  'zh-TW': { 容器: '實例' },
  'ja-JP': { コンテナ: 'インスタンス' },
  'id-ID': { kontainer: 'instans', container: 'instans' },
  'ko-KR': { 컨테이너: '인스턴스' },
  'ru-RU': { контейнер: 'инстанс', экземпляр: 'инстанс' },
  'de-DE': { container: 'Instanz' },
  'fr-FR': { conteneur: 'instance', container: 'instance' },
  'es-ES': { contenedor: 'instancia', container: 'instancia' },
}

/** Keys of single texts that may contain the word "container". */
const containerKeys: readonly string[] = [
  // Explanation of the field for the container image.
  'admin-challenges:hint.image',
  // Quotation from the specification.
  'admin-challenges:test.idle',
  // Title of the list of containers.
  'admin-challenges:field.containers',
  // Texts about the output, the events and the terminals of containers.
  'admin-challenges:test.containers',
  'admin-instances:containersOf',
  'server:problems.instance.events-unavailable',
  'server:problems.instance.log-unavailable',
  'server:problems.instance.terminal-unavailable',
]

/** Beginnings of keys whose texts may all contain the word "container": areas, and the reasons that organizers see. */
const containerAreas = ['admin-container:', 'challenge-health:reason.', 'containers:']

const others: Readonly<Record<string, Replaced>> = {
  'en-US': {
    organis: 'organiz',
    colour: 'color',
    licence: 'license',
    behaviour: 'behavior',
    practise: 'practice',
    'any more': 'anymore',
    'e-mail': 'email',
    'user name': 'username',
    nickname: 'username',
    'log-in': 'login',
    administrator: 'admin',
    leaderboard: 'scoreboard',
  },
  'zh-CN': { 您: '你', 帐户: '账户', 帐号: '账户', 账号: '账户', 挑战: '题目', 组织者: '主办方' },
  'zh-TW': { 您: '你', 帳戶: '帳號', 用戶: '使用者', 郵箱: '電子郵件', 挑戰: '題目', 主辦方: '主辦單位' },
  'ja-JP': { チャレンジ: '問題', 主催: '運営', ユーザ名: 'ユーザー名' },
  'id-ID': {
    'e-mail': 'email',
    surel: 'email',
    tantangan: 'soal',
    penyelenggara: 'panitia',
    kamu: 'Anda',
    password: 'kata sandi',
  },
  'ko-KR': { 챌린지: '문제', 주최: '운영진', 유저: '사용자', 패스워드: '비밀번호' },
  'ru-RU': { аккаунт: 'учётная запись', 'e-mail': 'почта', имейл: 'почта', челлендж: 'задание' },
  'de-DE': {
    email: 'E-Mail',
    testmail: 'Test-E-Mail',
    organisator: 'Veranstalter',
    herausforderung: 'Aufgabe',
    challenge: 'Aufgabe',
  },
  'fr-FR': {
    courriel: 'e-mail',
    email: 'e-mail',
    challenge: 'défi',
    épreuve: 'défi',
    drapeau: 'flag',
    "'": '’',
    ' :': 'a no-break space',
    ' ;': 'a narrow no-break space',
    ' !': 'a narrow no-break space',
    ' ?': 'a narrow no-break space',
    ' »': 'a no-break space',
    '« ': 'a no-break space',
  },
  'es-ES': { 'e-mail': 'correo', email: 'correo', desafío: 'reto', organizador: 'organización', bandera: 'flag', usted: 'tú' },
}

/** Matches a placeholder such as `{{name}}`, or a tag such as `<b>`. */
const filledIn = /\{\{[^{}]*\}\}|\{\w+\}|<\/?\w+>/g

/** Returns a message for each forbidden word in a text. `key` has the form `area:key`. */
export function findGlossaryFaults(language: string, key: string, text: string): string[] {
  const isAboutContainers = containerKeys.includes(key) || containerAreas.some((area) => key.startsWith(area))
  const words = { ...others[language], ...(isAboutContainers ? {} : container[language]) }
  const own = text.replaceAll(filledIn, '…').toLowerCase()
  return Object.entries(words)
    .filter(([word]) => own.includes(word))
    .map(([word, instead]) => `"${text}" has "${word}", the glossary says "${instead}"`)
}
