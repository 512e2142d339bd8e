/** A team's writeup: its state and the upload. */
export default {
  writeup: {
    title: 'Writeup',
    text: 'Jelaskan dalam satu PDF bagaimana tim Anda memecahkan soal. Anggota mana pun dapat mengirimnya; berkas baru menggantikan yang lama.',
    instructions: 'Petunjuk dari panitia',
    submitted: 'Terkirim',
    missing: 'Belum dikirim',
    file: 'Berkas',
    deadline: 'Batas waktu',
    left: 'lagi',
    deadlineUnknown: 'Ditetapkan panitia. Berkas yang terlambat ditolak.',
    over: 'Batas waktu pengiriman telah lewat',
    overMissing: 'Tidak ada writeup yang dikirim. Tanyakan kepada panitia apakah masih perlu.',
    drop: 'Letakkan PDF di sini, atau pilih berkas',
    replace: 'Letakkan PDF baru di sini untuk menggantinya, atau pilih berkas',
    hint: 'Satu PDF di bawah 20 MB',
    unfit: 'Gagal memuat berkas. Periksa format dan ukurannya',
    sending: 'Mengunggah {{name}}',
    cancel: 'Batal',
    done: 'Writeup terkirim',
    failed: 'Status writeup Anda tidak dapat dimuat',
  },
} as const
