import type { LanguageCode } from '@capstan/contract/languages'
import type { LinkPurpose } from './links.ts'

interface PurposeText {
  readonly title: string
  readonly paragraph: string
  readonly button: string
}

/** What mails say. `{hours}` is replaced. */
export interface MailTexts extends Readonly<Record<LinkPurpose, PurposeText>> {
  /** To find out whether mail leaves at all. */
  readonly test: Omit<PurposeText, 'button'>
  readonly name: string
  readonly address: string
  readonly time: string
  readonly ignore: string
}

export const mailTexts: Readonly<Record<LanguageCode, MailTexts>> = {
  'en-US': {
    activation: {
      title: 'Activate your account',
      paragraph: 'Welcome! Confirm your email address to activate your account. The link works once, for {hours} hours.',
      button: 'Activate account',
    },
    reset: {
      title: 'Reset your password',
      paragraph: 'Somebody asked to reset the password of your account. The link works once, for {hours} hours.',
      button: 'Choose a new password',
    },
    'address-change': {
      title: 'Confirm your new email address',
      paragraph: 'From now on, your account uses this email address. The link works once, for {hours} hours.',
      button: 'Confirm address',
    },
    test: {
      title: 'Test email',
      paragraph: 'This email was sent from the settings. The platform can send email, and the mail server accepts it.',
    },
    name: 'Name',
    address: 'Email',
    time: 'Time',
    ignore: 'If this was not you, ignore this email: nothing will change.',
  },
  'zh-CN': {
    activation: {
      title: '激活您的账户',
      paragraph: '欢迎！请确认您的邮箱地址以激活账户。链接仅可使用一次，有效期 {hours} 小时。',
      button: '激活账户',
    },
    reset: {
      title: '重置您的密码',
      paragraph: '有人请求重置您账户的密码。链接仅可使用一次，有效期 {hours} 小时。',
      button: '设置新密码',
    },
    'address-change': {
      title: '确认您的新邮箱地址',
      paragraph: '您的账户将改用此邮箱地址。链接仅可使用一次，有效期 {hours} 小时。',
      button: '确认邮箱',
    },
    test: { title: '测试邮件', paragraph: '此邮件由平台设置页面发出，说明平台可以发送邮件，且邮件服务器会接受。' },
    name: '用户名',
    address: '邮箱',
    time: '时间',
    ignore: '如果这不是您本人的操作，请忽略此邮件，不会有任何更改。',
  },
  'zh-TW': {
    activation: {
      title: '啟用您的帳號',
      paragraph: '歡迎！請確認您的電子郵件地址以啟用帳號。連結僅可使用一次，有效期為 {hours} 小時。',
      button: '啟用帳號',
    },
    reset: {
      title: '重設您的密碼',
      paragraph: '有人要求重設您帳號的密碼。連結僅可使用一次，有效期為 {hours} 小時。',
      button: '設定新密碼',
    },
    'address-change': {
      title: '確認您的新電子郵件地址',
      paragraph: '您的帳號將改用此電子郵件地址。連結僅可使用一次，有效期為 {hours} 小時。',
      button: '確認地址',
    },
    test: { title: '測試郵件', paragraph: '此郵件由平台設定頁面寄出，表示平台可以寄送郵件，且郵件伺服器會接受。' },
    name: '使用者名稱',
    address: '電子郵件',
    time: '時間',
    ignore: '如果這不是您本人的操作，請忽略此郵件，不會有任何變更。',
  },
  'ja-JP': {
    activation: {
      title: 'アカウントを有効にしてください',
      paragraph: 'ようこそ。アカウントを有効にするにはメールアドレスを確認してください。リンクは一度だけ、{hours} 時間有効です。',
      button: 'アカウントを有効にする',
    },
    reset: {
      title: 'パスワードの再設定',
      paragraph: 'アカウントのパスワード再設定が要求されました。リンクは一度だけ、{hours} 時間有効です。',
      button: '新しいパスワードを設定する',
    },
    'address-change': {
      title: '新しいメールアドレスの確認',
      paragraph: '今後アカウントでこのメールアドレスを使用します。リンクは一度だけ、{hours} 時間有効です。',
      button: 'アドレスを確認する',
    },
    test: {
      title: 'テストメール',
      paragraph:
        'このメールは設定画面から送信されました。プラットフォームはメールを送信でき、メールサーバーに受け付けられています。',
    },
    name: 'ユーザー名',
    address: 'メールアドレス',
    time: '日時',
    ignore: 'お心当たりがない場合はこのメールを無視してください。何も変更されません。',
  },
  'id-ID': {
    activation: {
      title: 'Aktifkan akun Anda',
      paragraph:
        'Selamat datang! Konfirmasikan alamat email Anda untuk mengaktifkan akun. Tautan berlaku sekali, selama {hours} jam.',
      button: 'Aktifkan akun',
    },
    reset: {
      title: 'Atur ulang kata sandi Anda',
      paragraph: 'Seseorang meminta pengaturan ulang kata sandi akun Anda. Tautan berlaku sekali, selama {hours} jam.',
      button: 'Pilih kata sandi baru',
    },
    'address-change': {
      title: 'Konfirmasikan alamat email baru Anda',
      paragraph: 'Akun Anda akan memakai alamat email ini mulai sekarang. Tautan berlaku sekali, selama {hours} jam.',
      button: 'Konfirmasi alamat',
    },
    test: {
      title: 'Email percobaan',
      paragraph: 'Email ini dikirim dari pengaturan. Platform dapat mengirim email dan server email menerimanya.',
    },
    name: 'Nama',
    address: 'E-mail',
    time: 'Waktu',
    ignore: 'Jika ini bukan Anda, abaikan email ini: tidak ada yang akan berubah.',
  },
  'ko-KR': {
    activation: {
      title: '계정을 활성화하세요',
      paragraph: '환영합니다! 계정을 활성화하려면 이메일 주소를 확인하세요. 링크는 {hours}시간 동안 한 번만 사용할 수 있습니다.',
      button: '계정 활성화',
    },
    reset: {
      title: '비밀번호 재설정',
      paragraph: '계정의 비밀번호 재설정이 요청되었습니다. 링크는 {hours}시간 동안 한 번만 사용할 수 있습니다.',
      button: '새 비밀번호 설정',
    },
    'address-change': {
      title: '새 이메일 주소를 확인하세요',
      paragraph: '앞으로 계정에서 이 이메일 주소를 사용합니다. 링크는 {hours}시간 동안 한 번만 사용할 수 있습니다.',
      button: '주소 확인',
    },
    test: {
      title: '테스트 메일',
      paragraph: '설정에서 보낸 메일입니다. 플랫폼이 메일을 보낼 수 있고 메일 서버가 이를 받습니다.',
    },
    name: '이름',
    address: '이메일',
    time: '시간',
    ignore: '본인이 요청하지 않았다면 이 메일을 무시하세요. 아무것도 변경되지 않습니다.',
  },
  'ru-RU': {
    activation: {
      title: 'Активируйте учётную запись',
      paragraph:
        'Добро пожаловать! Подтвердите адрес электронной почты, чтобы активировать учётную запись. Ссылка одноразовая, срок действия в часах: {hours}.',
      button: 'Активировать',
    },
    reset: {
      title: 'Сброс пароля',
      paragraph: 'Кто-то запросил сброс пароля вашей учётной записи. Ссылка одноразовая, срок действия в часах: {hours}.',
      button: 'Задать новый пароль',
    },
    'address-change': {
      title: 'Подтвердите новый адрес электронной почты',
      paragraph: 'Отныне учётная запись будет использовать этот адрес. Ссылка одноразовая, срок действия в часах: {hours}.',
      button: 'Подтвердить адрес',
    },
    test: {
      title: 'Проверочное письмо',
      paragraph: 'Это письмо отправлено со страницы настроек. Платформа может отправлять почту, и почтовый сервер её принимает.',
    },
    name: 'Имя',
    address: 'Электронная почта',
    time: 'Время',
    ignore: 'Если это были не вы, не обращайте внимания на это письмо: ничего не изменится.',
  },
  'de-DE': {
    activation: {
      title: 'Konto aktivieren',
      paragraph:
        'Willkommen! Bestätige deine E-Mail-Adresse, um dein Konto zu aktivieren. Der Link gilt einmal und {hours} Stunden lang.',
      button: 'Konto aktivieren',
    },
    reset: {
      title: 'Passwort zurücksetzen',
      paragraph: 'Jemand möchte das Passwort deines Kontos zurücksetzen. Der Link gilt einmal und {hours} Stunden lang.',
      button: 'Neues Passwort wählen',
    },
    'address-change': {
      title: 'Neue E-Mail-Adresse bestätigen',
      paragraph: 'Dein Konto soll künftig diese E-Mail-Adresse verwenden. Der Link gilt einmal und {hours} Stunden lang.',
      button: 'Adresse bestätigen',
    },
    test: {
      title: 'Testmail',
      paragraph:
        'Diese E-Mail wurde von den Einstellungen aus gesendet. Die Plattform kann E-Mails senden, und der Mailserver nimmt sie an.',
    },
    name: 'Name',
    address: 'E-Mail',
    time: 'Zeit',
    ignore: 'Falls du das nicht warst, ignoriere diese Mail: Es ändert sich nichts.',
  },
  'fr-FR': {
    activation: {
      title: 'Activez votre compte',
      paragraph:
        'Bienvenue ! Confirmez votre adresse e-mail pour activer votre compte. Le lien fonctionne une seule fois, pendant {hours} heures.',
      button: 'Activer le compte',
    },
    reset: {
      title: 'Réinitialisez votre mot de passe',
      paragraph:
        "Quelqu'un a demandé la réinitialisation du mot de passe de votre compte. Le lien fonctionne une seule fois, pendant {hours} heures.",
      button: 'Choisir un nouveau mot de passe',
    },
    'address-change': {
      title: 'Confirmez votre nouvelle adresse e-mail',
      paragraph:
        'Votre compte utilisera désormais cette adresse e-mail. Le lien fonctionne une seule fois, pendant {hours} heures.',
      button: "Confirmer l'adresse",
    },
    test: {
      title: 'E-mail de test',
      paragraph:
        'Cet e-mail a été envoyé depuis les paramètres. La plateforme peut envoyer des e-mails et le serveur de messagerie les accepte.',
    },
    name: 'Nom',
    address: 'E-mail',
    time: 'Heure',
    ignore: "Si ce n'était pas vous, ignorez ce message : rien ne changera.",
  },
  'es-ES': {
    activation: {
      title: 'Activa tu cuenta',
      paragraph:
        '¡Te damos la bienvenida! Confirma tu dirección de correo para activar tu cuenta. El enlace funciona una sola vez, durante {hours} horas.',
      button: 'Activar cuenta',
    },
    reset: {
      title: 'Restablece tu contraseña',
      paragraph:
        'Alguien ha pedido restablecer la contraseña de tu cuenta. El enlace funciona una sola vez, durante {hours} horas.',
      button: 'Elegir nueva contraseña',
    },
    'address-change': {
      title: 'Confirma tu nueva dirección de correo',
      paragraph:
        'Tu cuenta usará esta dirección de correo a partir de ahora. El enlace funciona una sola vez, durante {hours} horas.',
      button: 'Confirmar dirección',
    },
    test: {
      title: 'Correo de prueba',
      paragraph:
        'Este correo se ha enviado desde los ajustes. La plataforma puede enviar correos y el servidor de correo los acepta.',
    },
    name: 'Nombre',
    address: 'Correo',
    time: 'Hora',
    ignore: 'Si no has sido tú, ignora este mensaje: no cambiará nada.',
  },
}
