// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {WebAuthn} from "@openzeppelin/contracts/utils/cryptography/WebAuthn.sol";
import {HolderAccount, withdrawalHashOf} from "../HolderAccount.sol";
import {Settlement} from "../Settlement.sol";
import {Stand} from "./Cheats.sol";

contract HolderAccountTest is Stand {
    uint256 private constant KEY = 21;
    uint96 private constant DOLLAR = 1_000_000;
    address private constant HOME = address(0x40E);
    address private constant RECOVERY = address(0x4EC);

    HolderAccount private account;

    function setUp() public {
        _deploy();
        (uint256 x, uint256 y) = vm.publicKeyP256(KEY);
        account = HolderAccount(settlement.open(bytes32(x), bytes32(y), RECOVERY));
        token.mint(address(account), 10 * DOLLAR);
    }

    function _request(uint96 amount) private {
        account.requestWithdrawal(amount, HOME, _assert(KEY, account.withdrawalHash(amount, HOME), 0x05));
    }

    function test_the_account_knows_its_holder() public view {
        (bytes32 x, bytes32 y, address recovery) = account.terms();
        (uint256 keyX, uint256 keyY) = vm.publicKeyP256(KEY);
        require(uint256(x) == keyX && uint256(y) == keyY && recovery == RECOVERY, "terms");
        require(settlement.accountOf(x, y, recovery) == address(account), "address");
    }

    function test_only_settlement_pulls() public {
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.NotSettlement.selector));
        account.pull(1);
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.NotSettlement.selector));
        vm.prank(SPONSOR);
        account.pull(1);
    }

    function test_a_withdrawal_leaves_after_nine_days_without_the_sponsor() public {
        _request(4 * DOLLAR);
        vm.warp(START + 9 days - 1);
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.NotReady.selector));
        account.withdraw();
        vm.warp(START + 9 days);
        account.withdraw();
        _equal(token.balanceOf(HOME), 4 * DOLLAR, "home");
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.NothingWaits.selector));
        account.withdraw();
    }

    function test_the_sponsor_lets_it_leave_at_once_and_only_where_it_was_asked() public {
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.NothingWaits.selector));
        vm.prank(SPONSOR);
        account.withdraw();
        _request(20 * DOLLAR);
        vm.prank(SPONSOR);
        account.withdraw();
        _equal(token.balanceOf(HOME), 10 * DOLLAR, "at most what is there");
    }

    function test_an_assertion_counts_once_and_for_its_terms_only() public {
        WebAuthn.WebAuthnAuth memory assertion = _assert(KEY, account.withdrawalHash(DOLLAR, HOME), 0x05);
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.InvalidAssertion.selector));
        account.requestWithdrawal(DOLLAR, SPONSOR, assertion);
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.InvalidAssertion.selector));
        account.requestWithdrawal(2 * DOLLAR, HOME, assertion);
        account.requestWithdrawal(DOLLAR, HOME, assertion);
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.InvalidAssertion.selector));
        account.requestWithdrawal(DOLLAR, HOME, assertion);
        bytes32 hash = account.withdrawalHash(DOLLAR, HOME);
        WebAuthn.WebAuthnAuth memory unverified = _assert(KEY, hash, 0x01);
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.InvalidAssertion.selector));
        account.requestWithdrawal(DOLLAR, HOME, unverified);
        WebAuthn.WebAuthnAuth memory foreign = _assert(KEY + 1, hash, 0x05);
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.InvalidAssertion.selector));
        account.requestWithdrawal(DOLLAR, HOME, foreign);
    }

    function test_a_second_request_begins_the_delay_anew() public {
        _request(DOLLAR);
        vm.warp(START + 8 days);
        _request(2 * DOLLAR);
        vm.warp(START + 9 days);
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.NotReady.selector));
        account.withdraw();
        vm.warp(START + 17 days);
        account.withdraw();
        _equal(token.balanceOf(HOME), 2 * DOLLAR, "the second amount");
    }

    function test_the_holder_cancels() public {
        _request(DOLLAR);
        WebAuthn.WebAuthnAuth memory assertion = _assert(KEY, account.cancellationHash(), 0x05);
        account.cancelWithdrawal(assertion);
        vm.warp(START + 10 days);
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.NothingWaits.selector));
        account.withdraw();
        _request(DOLLAR);
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.InvalidAssertion.selector));
        account.cancelWithdrawal(assertion);
    }

    function test_the_recovery_address_takes_everything_after_the_delay() public {
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.NotRecovery.selector));
        account.requestWithdrawal();
        vm.prank(RECOVERY);
        account.requestWithdrawal();
        vm.warp(START + 9 days);
        account.withdraw();
        _equal(token.balanceOf(RECOVERY), 10 * DOLLAR, "recovered");
    }

    function test_recovery_cannot_push_the_holder_aside_and_the_holder_can() public {
        _request(DOLLAR);
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.AlreadyWaiting.selector));
        vm.prank(RECOVERY);
        account.requestWithdrawal();
        account.cancelWithdrawal(_assert(KEY, account.cancellationHash(), 0x05));
        vm.prank(RECOVERY);
        account.requestWithdrawal();
        _request(DOLLAR);
        require(account.to() == HOME, "the passkey wins");
    }

    function test_an_account_without_recovery_address_has_none() public {
        (uint256 x, uint256 y) = vm.publicKeyP256(KEY);
        HolderAccount bare = HolderAccount(settlement.open(bytes32(x), bytes32(y), address(0)));
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.NotRecovery.selector));
        vm.prank(address(0));
        bare.requestWithdrawal();
    }

    function test_money_cannot_be_withdrawn_into_settlement() public {
        bytes32 hash = account.withdrawalHash(DOLLAR, address(settlement));
        WebAuthn.WebAuthnAuth memory assertion = _assert(KEY, hash, 0x05);
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.InvalidRecipient.selector));
        account.requestWithdrawal(DOLLAR, address(settlement), assertion);
    }

    /// Section 1, verdict 2: a hold outlives a withdrawal that is asked for at the same moment.
    function test_an_approval_of_eight_days_is_captured_before_a_withdrawal_leaves() public {
        Settlement.Approval memory approval = _approval(KEY, 10 * DOLLAR);
        approval.recovery = RECOVERY;
        Settlement.Capture[] memory captures = _one(_capture(KEY, approval, 0, 10 * DOLLAR));
        _request(10 * DOLLAR);
        vm.warp(approval.validUntil);
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.NotReady.selector));
        account.withdraw();
        _settle("late", captures);
        _equal(token.balanceOf(SHOP), 10 * DOLLAR, "payee");
    }

    function _withdrawal(bytes32 id, uint96 amount) private view returns (Settlement.Withdrawal memory) {
        (bytes32 x, bytes32 y, address recovery) = account.terms();
        return Settlement.Withdrawal(id, x, y, recovery, amount, HOME);
    }

    function _signed(uint96 amount) private view returns (WebAuthn.WebAuthnAuth memory) {
        return _assert(KEY, account.withdrawalHash(amount, HOME), 0x05);
    }

    function _release(Settlement.Withdrawal memory withdrawal, WebAuthn.WebAuthnAuth memory assertion) private {
        vm.prank(SPONSOR);
        settlement.release(withdrawal, assertion);
    }

    function test_the_sponsor_releases_what_the_holder_approved_at_once() public {
        Settlement.Withdrawal memory withdrawal = _withdrawal("w", 4 * DOLLAR);
        WebAuthn.WebAuthnAuth memory assertion = _signed(4 * DOLLAR);
        require(settlement.isReleasable(withdrawal, assertion), "the contract's own check");
        vm.expectEmit(true, true, true, true, address(settlement));
        emit Settlement.Released("w", address(account), HOME, 4 * DOLLAR);
        _release(withdrawal, assertion);
        _equal(token.balanceOf(HOME), 4 * DOLLAR, "home");
        _equal(account.withdrawn(), 4 * DOLLAR, "counted");
        require(settlement.done("w"), "done");
        require(!settlement.isReleasable(withdrawal, assertion), "used");
    }

    function test_a_release_lands_once_and_its_assertion_counts_once() public {
        WebAuthn.WebAuthnAuth memory assertion = _signed(DOLLAR);
        Settlement.Withdrawal memory withdrawal = _withdrawal("w", DOLLAR);
        _release(withdrawal, assertion);
        WebAuthn.WebAuthnAuth memory fresh = _signed(DOLLAR);
        vm.expectRevert(abi.encodeWithSelector(Settlement.AlreadySettled.selector, bytes32("w")));
        _release(withdrawal, fresh);
        withdrawal.id = "again";
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.InvalidAssertion.selector));
        _release(withdrawal, assertion);
    }

    function test_a_release_needs_sponsor_settlement_and_the_holders_own_terms() public {
        WebAuthn.WebAuthnAuth memory assertion = _signed(DOLLAR);
        Settlement.Withdrawal memory withdrawal = _withdrawal("w", DOLLAR);
        vm.expectRevert(abi.encodeWithSelector(Settlement.NotOperator.selector));
        settlement.release(withdrawal, assertion);
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.NotSettlement.selector));
        vm.prank(SPONSOR);
        account.release(DOLLAR, HOME, assertion);
        withdrawal.amount = 2 * DOLLAR;
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.InvalidAssertion.selector));
        _release(withdrawal, assertion);
        (withdrawal.amount, withdrawal.to) = (DOLLAR, SPONSOR);
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.InvalidAssertion.selector));
        _release(withdrawal, assertion);
    }

    function test_a_release_of_more_than_is_there_moves_nothing() public {
        Settlement.Withdrawal memory withdrawal = _withdrawal("w", 11 * DOLLAR);
        WebAuthn.WebAuthnAuth memory assertion = _signed(11 * DOLLAR);
        vm.expectRevert();
        _release(withdrawal, assertion);
        _equal(token.balanceOf(address(account)), 10 * DOLLAR, "account");
        require(!settlement.done("w"), "not done");
        _equal(account.nonce(), 0, "the assertion was not used");
    }

    function test_a_release_deploys_the_account() public {
        (uint256 x, uint256 y) = vm.publicKeyP256(KEY + 1);
        address there = settlement.accountOf(bytes32(x), bytes32(y), address(0));
        token.mint(there, DOLLAR);
        bytes32 hash = withdrawalHashOf(there, 0, DOLLAR, HOME);
        Settlement.Withdrawal memory withdrawal =
            Settlement.Withdrawal("w", bytes32(x), bytes32(y), address(0), DOLLAR, HOME);
        WebAuthn.WebAuthnAuth memory assertion = _assert(KEY + 1, hash, 0x05);
        require(settlement.isReleasable(withdrawal, assertion), "before it is deployed");
        _release(withdrawal, assertion);
        _equal(token.balanceOf(HOME), DOLLAR, "home");
        require(there.code.length > 0, "deployed");
    }

    function test_a_release_leaves_a_request_that_waits() public {
        _request(9 * DOLLAR);
        _release(_withdrawal("w", 4 * DOLLAR), _signed(4 * DOLLAR));
        vm.warp(START + 9 days);
        account.withdraw();
        _equal(token.balanceOf(HOME), 10 * DOLLAR, "the rest, at most what is there");
        _equal(account.withdrawn(), 10 * DOLLAR, "counted");
    }

    function test_standings_tell_what_stands_waits_and_has_left() public {
        address[] memory accounts = new address[](2);
        (accounts[0], accounts[1]) = (address(account), address(0xD1));
        token.mint(accounts[1], DOLLAR);
        _request(3 * DOLLAR);
        _release(_withdrawal("w", 4 * DOLLAR), _signed(4 * DOLLAR));
        Settlement.Standing[] memory standings = settlement.standingsOf(accounts);
        _equal(standings[0].balance, 6 * DOLLAR, "balance");
        _equal(standings[0].leaving, 3 * DOLLAR, "leaving");
        _equal(standings[0].withdrawn, 4 * DOLLAR, "withdrawn");
        _equal(standings[0].nonce, 2, "nonce");
        _equal(standings[1].balance, DOLLAR, "not deployed");
        _equal(standings[1].withdrawn + standings[1].leaving + standings[1].nonce, 0, "nothing else");
    }
}
