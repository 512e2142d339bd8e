/** Joining a game and leaving it. */
export default {
  join: {
    title: 'Ikut {{game}}',
    again: 'Daftar lagi untuk {{game}}',
    text: 'Begitu diterima, tim Anda terkunci: tidak ada yang dapat dikeluarkan sampai permainan berakhir.',
    team: 'Tim',
    teamPlaceholder: 'Pilih tim',
    teamHint: 'Hingga {{count}} anggotanya boleh ikut.',
    teamMissing: 'Silakan pilih tim yang ikut serta',
    teamName: 'Nama tim Anda',
    teamNameHint: 'Anda menjadi kaptennya dan bisa mengundang yang lain nanti.',
    division: 'Divisi',
    divisionPlaceholder: 'Pilih divisi',
    divisionMissing: 'Silakan pilih divisi',
    codeOfGame: 'Kode undangan permainan',
    codeOfDivision: 'Kode undangan untuk {{division}}',
    codeHint: 'Panitia memberikannya kepada Anda.',
    codeMissing: 'Kode undangan tidak boleh kosong',
    submit: 'Ikut permainan',
    done: 'Anda sudah ikut',
  },
  leave: {
    title: 'Mundur dari {{game}}?',
    text: 'Anda dapat ikut lagi nanti. Jika Anda yang terakhir dari tim Anda di sini, permintaan tim ikut ditarik.',
    confirm: 'Mundur',
    done: 'Anda telah mundur dari {{game}}',
  },
} as const
