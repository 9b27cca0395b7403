<?php

use App\Http\Controllers\LoginController;
use Illuminate\Support\Facades\Route;

Route::post('login/start', [LoginController::class, 'start']);
Route::post('login/check', [LoginController::class, 'check']);
Route::get('me', [LoginController::class, 'me']);
